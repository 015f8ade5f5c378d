use egui::{Rect, pos2};

/// Rectangles that fill `area` in proportion to `weights`, as square as possible (Bruls, Huizing and van Wijk,
/// "Squarified Treemaps", 2000). `weights` must descend. A weight of 0 gets an empty rectangle.
pub fn squarify(weights: &[f32], area: Rect) -> Vec<Rect> {
    let total: f32 = weights.iter().sum();
    let mut out = Vec::with_capacity(weights.len());
    let (mut rest, mut weight_left) = (area, total);
    while out.len() < weights.len() {
        let open = &weights[out.len()..];
        if weight_left <= 0.0 || open[0] <= 0.0 || !rest.is_positive() {
            out.extend(open.iter().map(|_| Rect::from_min_size(rest.min, egui::Vec2::ZERO)));
            break;
        }
        let points_a_weight = rest.area() / weight_left;
        let side = rest.width().min(rest.height());
        let count = row_length(open, points_a_weight, side);
        let row_weight: f32 = open[..count].iter().sum();
        rest = lay_row(&open[..count], row_weight / weight_left, rest, &mut out);
        weight_left -= row_weight;
    }
    out
}

/// Number of next weights for the row with the best worst aspect ratio.
fn row_length(open: &[f32], points_a_weight: f32, side: f32) -> usize {
    let worst = |count: usize| {
        let sum: f32 = open[..count].iter().sum::<f32>() * points_a_weight;
        let (largest, smallest) = (open[0] * points_a_weight, open[count - 1] * points_a_weight);
        let (side2, sum2) = (side * side, sum * sum);
        (side2 * largest / sum2).max(sum2 / (side2 * smallest.max(f32::MIN_POSITIVE)))
    };
    (1..open.len()).find(|&count| worst(count + 1) > worst(count)).unwrap_or(open.len())
}

/// Lays a row along the shorter side. Returns the rest of the area.
fn lay_row(row: &[f32], share: f32, area: Rect, out: &mut Vec<Rect>) -> Rect {
    let sum: f32 = row.iter().sum();
    let mut at = 0.0;
    let wide = area.width() >= area.height();
    for weight in row {
        let (from, to) = (at / sum, (at + weight) / sum);
        at += weight;
        out.push(if wide {
            let y = |t: f32| area.top() + area.height() * t;
            Rect::from_min_max(pos2(area.left(), y(from)), pos2(area.left() + area.width() * share, y(to)))
        } else {
            let x = |t: f32| area.left() + area.width() * t;
            Rect::from_min_max(pos2(x(from), area.top()), pos2(x(to), area.top() + area.height() * share))
        });
    }
    if wide {
        area.with_min_x(area.left() + area.width() * share)
    } else {
        area.with_min_y(area.top() + area.height() * share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_in_proportion_and_fill_the_whole() {
        let area = Rect::from_min_size(pos2(10.0, 20.0), egui::vec2(600.0, 400.0));
        let weights = [6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0, 0.0];
        let rects = squarify(&weights, area);
        assert_eq!(rects.len(), weights.len());
        for (rect, weight) in rects.iter().zip(weights) {
            assert!((rect.area() - 10_000.0 * weight).abs() < 1.0, "{rect:?} for {weight}");
            assert!(area.expand(0.01).contains_rect(*rect));
        }
        for (i, a) in rects.iter().enumerate() {
            let overlap = rects[i + 1..].iter().map(|b| a.intersect(*b)).find(|o| o.is_positive() && o.area() > 1.0);
            assert!(overlap.is_none(), "{overlap:?}");
        }
        // The first two of the paper's own example share a column of half the height each.
        assert!((rects[0].width() - 300.0).abs() < 0.01 && (rects[0].height() - 200.0).abs() < 0.01);
    }

    #[test]
    fn nothing_to_show_is_no_fault() {
        let area = Rect::from_min_size(pos2(0.0, 0.0), egui::vec2(10.0, 10.0));
        assert!(squarify(&[], area).is_empty());
        assert!(squarify(&[0.0, 0.0], area).iter().all(|r| r.area() == 0.0));
        assert!(squarify(&[1.0], Rect::ZERO).iter().all(|r| r.area() == 0.0));
    }
}
