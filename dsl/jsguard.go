package dsl

import (
	"fmt"
	"strconv"
)

func indexKey(i int) string { return strconv.Itoa(i) }

// setupSource takes away what reaches outside, reads a clock, is random, or makes code of text.
const setupSource = `
for (const name of ["globalThis", "Function", "Promise", "Date", "eval", "Proxy", "Reflect", "WeakRef",
	"ArrayBuffer", "SharedArrayBuffer", "DataView", "Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array",
	"Uint16Array", "Int32Array", "Uint32Array", "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array"]) {
	delete this[name];
}
delete Math.random;
delete Object.getPrototypeOf(() => {}).constructor;
delete Object.getPrototypeOf(function* () {}).constructor;
delete Object.getPrototypeOf(async () => {}).constructor;
`

func (c *computation) prepare() error {
	c.runtime.SetMaxCallStackSize(maxCallDepth)
	if _, err := c.runtime.RunProgram(c.sandbox.setup); err != nil {
		return fmt.Errorf("prepare the runtime: %w", c.failure(err))
	}
	return nil
}
