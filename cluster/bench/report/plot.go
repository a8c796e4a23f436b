package report

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The size of a plot, and what a row adds to its height.
const (
	plotWidth = 26 * vg.Centimeter
	plotBase  = 3 * vg.Centimeter
	rowHeight = 0.8 * vg.Centimeter
)

// plot draws the ratios on a logarithmic axis, each with a mark where its goal is.
func (c *Comparison) plot(path string) error {
	p := plot.New()
	p.Title.Text = c.own + " / " + c.peer + ": medians; ● measured, | goal, further left is better"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	var names []string
	var measured, wanted plotter.XYs
	for i := len(c.Rows) - 1; i >= 0; i-- {
		r := c.Rows[i]
		if r.Ratio() == 0 {
			continue
		}
		at := float64(len(names))
		names = append(names, r.Title)
		measured = append(measured, plotter.XY{X: r.Ratio(), Y: at})
		if r.AtMost > 0 {
			wanted = append(wanted, plotter.XY{X: r.AtMost, Y: at})
		}
	}
	if len(names) == 0 {
		return nil
	}
	p.NominalY(names...)
	p.Add(plotter.NewGrid())
	if err := scatter(p, measured, draw.CircleGlyph{}, color.RGBA{R: 20, G: 90, B: 200, A: 255}); err != nil {
		return err
	}
	if err := scatter(p, wanted, bar{}, color.RGBA{R: 200, G: 40, B: 40, A: 255}); err != nil {
		return err
	}
	// The axis has one, where both are the same.
	p.X.Min, p.X.Max = min(p.X.Min, 0.01), max(p.X.Max, 2)
	return p.Save(plotWidth, plotBase+vg.Length(len(names))*rowHeight, path)
}

func scatter(p *plot.Plot, points plotter.XYs, shape draw.GlyphDrawer, c color.Color) error {
	if len(points) == 0 {
		return nil
	}
	s, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	s.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Points(5), Shape: shape}
	p.Add(s)
	return nil
}

// bar is an upright line.
type bar struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (bar) DrawGlyph(canvas *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	line := draw.LineStyle{Color: style.Color, Width: vg.Points(2.5)}
	canvas.StrokeLine2(line, at.X, at.Y-2*style.Radius, at.X, at.Y+2*style.Radius)
}
