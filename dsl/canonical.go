package dsl

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"unicode/utf16"
)

// Digest is the SHA-256, in hex, of the canonical JSON of a document: the identity of what it says.
func Digest(document *Object) string { return digestOf(Canonical(document)) }

// Digest is the digest of the document as it was written, embedded children and metadata included.
func (w *Workflow) Digest() string { return Digest(w.source) }

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// compareKeys puts array indexes first, by number, as JavaScript lists them, and then the others by UTF-16 code units.
func compareKeys(a, b string) int {
	i, aIndex := arrayIndex(a)
	j, bIndex := arrayIndex(b)
	switch {
	case aIndex && bIndex:
		return cmp.Compare(i, j)
	case aIndex:
		return -1
	case bIndex:
		return 1
	default:
		return compareUTF16(a, b)
	}
}

// arrayIndex reads a canonical decimal below 2^32 - 1.
func arrayIndex(key string) (uint64, bool) {
	if key == "" || len(key) > 10 || (key[0] == '0' && len(key) > 1) || key[0] == '+' {
		return 0, false
	}
	index, err := strconv.ParseUint(key, 10, 32)
	return index, err == nil && index != 1<<32-1
}

// compareUTF16 differs from comparing bytes only beyond the basic plane, whose code units sort below U+E000.
func compareUTF16(a, b string) int {
	left, right := []rune(a), []rune(b)
	for i := range min(len(left), len(right)) {
		if left[i] != right[i] {
			return cmp.Compare(unitOrder(left[i]), unitOrder(right[i]))
		}
	}
	return cmp.Compare(len(left), len(right))
}

func unitOrder(r rune) uint64 {
	if first, second := utf16.EncodeRune(r); r > 0xffff {
		return uint64(first)<<16 | uint64(second)
	}
	return uint64(r) << 16
}
