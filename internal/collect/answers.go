package collect

import (
	"bytes"
	"context"
	"fmt"
	"path"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/why"
)

// mostAnswers bounds how many Clusters are asked why they are not ready: each takes some requests.
const mostAnswers = 50

// writeAnswers writes why Clusters are not available.
func (c *collector) writeAnswers(ctx context.Context) error {
	for _, o := range c.objects {
		if o.GroupVersionKind().GroupKind() != clusterKind.GroupKind() || isAvailable(o) {
			continue
		}
		if c.report.Answers == mostAnswers {
			c.report.Notes = append(c.report.Notes, fmt.Sprintf("More than %d Clusters are not available; the others were not asked why.", mostAnswers))
			return nil
		}
		c.progress("finding out why Cluster " + o.GetName() + " is not ready")
		if err := c.writeAnswer(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

func (c *collector) writeAnswer(ctx context.Context, cluster *unstructured.Unstructured) error {
	answer, err := why.Of(ctx, c.Reader, cluster)
	if err != nil {
		c.unread(fmt.Sprintf("why Cluster %s/%s is not ready", cluster.GetNamespace(), cluster.GetName()), err)
		return nil
	}
	var text bytes.Buffer
	if err := why.Text(&text, answer); err != nil {
		return err
	}
	c.report.Answers++
	return c.writeText(path.Join("why", cluster.GetNamespace(), cluster.GetName()+".txt"), text.Bytes())
}

func isAvailable(cluster *unstructured.Unstructured) bool {
	return field.Condition(cluster, clusterv1.AvailableCondition)["status"] == "True"
}
