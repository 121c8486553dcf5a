package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const recordName = "engine.json"

// record is what engine.json says: of which version the database beside it is, and, for a person who looks for it, where
// the server that last used it listened. Never the token.
type record struct {
	Version string `json:"version"`
	// ClusterID is a UUID that stays the same for as long as the folder does.
	ClusterID string `json:"cluster_id"`
	PID       int    `json:"pid,omitempty"`
	// StartedAt is in UTC.
	StartedAt *time.Time `json:"started_at,omitempty"`
	// Addresses are host:port by service.
	Addresses map[string]string `json:"addresses,omitempty"`
}

// readRecord reads a record; one that is missing or damaged is an unknown version, whose database is set aside.
func readRecord(dir string) record {
	data, err := os.ReadFile(filepath.Join(dir, recordName))
	if err != nil {
		return record{}
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return record{}
	}
	return r
}

// write replaces the record of a folder in one step.
func (r record) write(dir string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("record the engine's state: %w", err)
		}
	}()
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, recordName+".*")
	if err != nil {
		return err
	}
	_, err = file.Write(append(data, '\n'))
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return os.Rename(file.Name(), filepath.Join(dir, recordName))
}

// recordAddresses notes where the server of this process listens.
func (d *database) recordAddresses(ports ports) error {
	now := time.Now().UTC()
	d.record.PID = os.Getpid()
	d.record.StartedAt = &now
	d.record.Addresses = map[string]string{}
	for service := range ports {
		d.record.Addresses[string(service)] = ports.address(service)
	}
	return d.record.write(d.dir)
}
