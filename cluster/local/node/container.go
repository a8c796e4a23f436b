package node

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// mounts are folders of this machine by the path at which a container has them. A process sees the files of the machine,
// so that such a path in an argument or a variable is replaced.
type mounts map[string]string

// localize returns a value with a path in a mount replaced; a flag's value is what follows its first "=".
func (m mounts) localize(value string) string {
	flag, rest := "", value
	if strings.HasPrefix(value, "-") {
		if before, after, ok := strings.Cut(value, "="); ok {
			flag, rest = before+"=", after
		}
	}
	for mounted, dir := range m {
		if rest == mounted || strings.HasPrefix(rest, strings.TrimSuffix(mounted, "/")+"/") {
			return flag + dir + strings.TrimPrefix(rest, strings.TrimSuffix(mounted, "/"))
		}
	}
	return value
}

// environment returns the variables of a Deployment's container after those given.
func environment(d *appsv1.Deployment, env []string, m mounts) ([]string, error) {
	for _, v := range d.Spec.Template.Spec.Containers[0].Env {
		value := v.Value
		if v.ValueFrom != nil {
			var err error
			if value, err = fieldValue(d, v.ValueFrom); err != nil {
				return nil, fmt.Errorf("variable %s: %w", v.Name, err)
			}
		}
		env = append(env, v.Name+"="+m.localize(expand(value, env)))
	}
	return env, nil
}

var labelPath = regexp.MustCompile(`^metadata\.labels\['(.+)'\]$`)

// fieldValue returns the field of the pod that a variable is taken from. Secrets are none of them: a record has none.
func fieldValue(d *appsv1.Deployment, source *corev1.EnvVarSource) (string, error) {
	if source.FieldRef == nil {
		return "", fmt.Errorf("this node knows no variables but from fields of the pod")
	}
	switch field := source.FieldRef.FieldPath; {
	case field == "metadata.namespace":
		return d.Namespace, nil
	case field == "metadata.name":
		return d.Name, nil
	case labelPath.MatchString(field):
		return d.Spec.Template.Labels[labelPath.FindStringSubmatch(field)[1]], nil
	default:
		return "", fmt.Errorf("this node does not know the field %s", field)
	}
}

var reference = regexp.MustCompile(`\$\$|\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)`)

// expand replaces $(NAME) by the variable's value, as Kubernetes does: what is not set stays, and $$ is a $.
func expand(value string, env []string) string {
	return reference.ReplaceAllStringFunc(value, func(found string) string {
		if found == "$$" {
			return "$"
		}
		prefix := found[2:len(found)-1] + "="
		// The last one counts.
		for _, v := range slices.Backward(env) {
			if set, ok := strings.CutPrefix(v, prefix); ok {
				return set
			}
		}
		return found
	})
}

// commandLine returns the command of a container and its arguments: the pod's in place of the image's.
func commandLine(c *corev1.Container, image Image, m mounts, env []string) []string {
	command, args := image.Command[:image.Entrypoint], image.Command[image.Entrypoint:]
	if len(c.Command) > 0 {
		command, args = c.Command, nil
	}
	if len(c.Args) > 0 {
		args = c.Args
	}
	var line []string
	for _, word := range slices.Concat(command, args) {
		line = append(line, m.localize(expand(word, env)))
	}
	return line
}
