package dsl

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/dop251/goja/ast"
)

// The parser and the compiler of JavaScript take time that grows with the square of what is nested without brackets, and
// the parser notes an error for every pair of equal labels. These bounds are far above what people write.
const (
	maxCodeArrows = 300
	maxCodeLabels = 50
	maxCodeDepth  = 300
)

var (
	errCodeArrows = fmt.Errorf("the source has more than %d arrow functions", maxCodeArrows)
	errCodeLabels = fmt.Errorf("the source has more than %d labels or nested conditions", maxCodeLabels)
	errCodeDeep   = fmt.Errorf("the source has an expression or statement that is nested deeper than %d, or as many terms", maxCodeDepth)
)

// nestedLabel finds where a label may stand below another one, also inside of texts; comments may stand between.
var nestedLabel = regexp.MustCompile(`[):]` + gap + `(?:` + word + gap1 + `){0,3}` + word + gap + `:`)

const (
	gap  = `(?s:\s|/\*.*?\*/|//[^\n]*\n)*`
	gap1 = `(?s:\s|/\*.*?\*/|//[^\n]*\n)+`
	word = `(?:[^\s(){}\[\];:,?'"` + "`" + `+\-*/%&|^!~<>=.]|\\u\{[^}]*\})+`
)

// guardSource refuses a source that the parser would take too long for.
func guardSource(source string) error {
	if strings.Count(source, "=>") > maxCodeArrows {
		return errCodeArrows
	}
	if len(nestedLabel.FindAllStringIndex(source, maxCodeLabels+1)) > maxCodeLabels {
		return errCodeLabels
	}
	return nil
}

// guardDepth refuses a syntax tree that the compiler would take too long for.
func guardDepth(program *ast.Program) error {
	for _, statement := range program.Body {
		if !shallow(reflect.ValueOf(statement), 0) {
			return errCodeDeep
		}
	}
	return nil
}

// shallow looks through a syntax tree, whatever the types of its nodes. Only nodes count as depth.
func shallow(value reflect.Value, depth int) bool {
	switch value.Kind() {
	case reflect.Interface:
		return value.IsNil() || shallow(value.Elem(), depth)
	case reflect.Pointer:
		if value.IsNil() || !strings.HasSuffix(value.Type().Elem().PkgPath(), "goja/ast") {
			return true
		}
		return depth < maxCodeDepth && shallow(value.Elem(), depth+1)
	case reflect.Slice:
		for i := range value.Len() {
			if !shallow(value.Index(i), depth) {
				return false
			}
		}
	case reflect.Struct:
		for i := range value.NumField() {
			// Declarations are listed again beside the statements that make them.
			field := value.Type().Field(i)
			if field.IsExported() && field.Name != "DeclarationList" && !shallow(value.Field(i), depth) {
				return false
			}
		}
	default:
	}
	return true
}
