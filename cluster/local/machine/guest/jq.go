package guest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/itchyny/gojq"
)

// jq is the command of that name, as far as scripts read metadata with it: `jq [-r] [-c] FILTER` over the values of its input.
func jq(args []string, in io.Reader, out, errs io.Writer) int {
	raw, filter := false, "."
	for _, a := range args {
		switch {
		case a == "-r" || a == "--raw-output":
			raw = true
		case a == "-c" || a == "--compact-output":
		case strings.HasPrefix(a, "-") || filter != ".":
			fmt.Fprintf(errs, "jq: a simulated machine's does not know %s\n", a)
			return 2
		default:
			filter = a
		}
	}
	query, err := gojq.Parse(filter)
	if err != nil {
		fmt.Fprintf(errs, "jq: %v\n", err)
		return 3
	}
	decoder := json.NewDecoder(in)
	for {
		var value any
		if err := decoder.Decode(&value); errors.Is(err, io.EOF) {
			return 0
		} else if err != nil {
			fmt.Fprintf(errs, "jq: %v\n", err)
			return 2
		}
		if err := printAll(query.Run(value), raw, out); err != nil {
			fmt.Fprintf(errs, "jq: %v\n", err)
			return 5
		}
	}
}

func printAll(results gojq.Iter, raw bool, out io.Writer) error {
	for {
		value, ok := results.Next()
		if !ok {
			return nil
		}
		if err, failed := value.(error); failed {
			return err
		}
		if text, ok := value.(string); ok && raw {
			fmt.Fprintln(out, text)
			continue
		}
		encoded, err := gojq.Marshal(value)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, string(encoded))
	}
}
