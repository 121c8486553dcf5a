package models

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Digest names a request by what it says: two requests that ask the same of the same model have the same digest. The
// output ceiling, the address, the key and the model's figures are left out: they may change between the attempts at one
// request. The answer is SHA-256, in hex; for a Wire it is what the Wire says.
func Digest(r Request) string {
	if r.Wire != nil {
		return r.Wire.Digest
	}
	sum := sha256.New()
	d := digest{bufio.NewWriter(sum)}
	d.add(r.Model.ID, r.Model.Name, r.Model.API, r.Instructions, r.Effort, string(r.Output), r.CacheKey)
	d.count(len(r.Tools))
	for _, tool := range r.Tools {
		d.add(tool.Name, tool.Description, string(tool.Schema))
	}
	d.count(len(r.Messages))
	for _, m := range r.Messages {
		failed := ""
		if m.IsError {
			failed = "error"
		}
		d.add(string(m.Role), m.Text, m.CallID, failed, m.NativeAPI, string(m.Native))
		d.count(len(m.Calls))
		for _, call := range m.Calls {
			d.add(call.ID, call.Name, string(call.Args))
		}
	}
	_ = d.Flush()
	return hex.EncodeToString(sum.Sum(nil))
}

// digest hashes texts with their lengths, so that no two lists of texts are one.
type digest struct{ *bufio.Writer }

func (d digest) count(n int) {
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(n))
	_, _ = d.Write(length[:])
}

func (d digest) add(texts ...string) {
	for _, text := range texts {
		d.count(len(text))
		_, _ = d.WriteString(text)
	}
}
