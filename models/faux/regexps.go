package faux

import (
	"regexp"
	"strconv"
)

// regexps are a rule's regexps; nil where it has none.
type regexps struct {
	user, result, firstUser, system, body *regexp.Regexp
}

// list names the regexps in the order in which their groups are looked for.
func (r *regexps) list() []*regexp.Regexp {
	return []*regexp.Regexp{r.user, r.result, r.firstUser, r.system, r.body}
}

func (c *compiler) regexp(path, text string) *regexp.Regexp {
	if text == "" {
		return nil
	}
	made, err := regexp.Compile(text)
	if err != nil {
		c.faultf(path, "invalid", "is not a regexp: %v", err)
	}
	return made
}

// groups are the names by which templates may ask for what the regexps caught: numbers of the first regexp's groups,
// and the names of all.
func (r *regexps) groups() []string {
	var names []string
	for _, one := range r.list() {
		if one == nil {
			continue
		}
		first := len(names) == 0
		for i, name := range one.SubexpNames() {
			if first {
				names = append(names, strconv.Itoa(i))
			}
			if name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// catch adds what one regexp catches in a text to matches, and tells whether it matches; nil matches everything. The
// first regexp of a rule gives the numbered groups.
func catch(re *regexp.Regexp, text string, matches map[string]string) bool {
	if re == nil {
		return true
	}
	found := re.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	_, numbered := matches["0"]
	for i, name := range re.SubexpNames() {
		if !numbered {
			matches[strconv.Itoa(i)] = found[i]
		}
		if name != "" {
			matches[name] = found[i]
		}
	}
	return true
}
