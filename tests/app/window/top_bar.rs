//! The top bar holds its buttons at every width.

use super::started;
use egui::Role;
use egui_kittest::kittest::Queryable;

#[test]
fn approve_and_export_stand_in_the_window_at_every_width_and_nothing_lies_under_them() {
    for width in [1024.0, 1280.0, 1499.0, 1500.0, 1560.0, 1600.0, 1660.0, 1700.0, 1760.0, 1920.0] {
        let window = started([width, 800.0]);
        let approve = window.get_by_role_and_label(Role::Button, "Approve this clip").rect();
        let export = window.get_by_role_and_label(Role::Button, "Export\u{2026}").rect();
        assert!(approve.right() <= export.left() && export.right() <= width, "{width}: {approve} {export}");
        let headline = window.get_by_label_contains("clips fail with A").rect();
        assert!(headline.right() <= approve.left() && headline.height() < 20.0, "{width}: {headline} {approve}");
        let reason = window.get_by_label_contains("feet slide up to").rect();
        assert!(reason.right() <= approve.left() && reason.top() >= headline.bottom(), "{width}: {reason} {headline}");
    }
}
