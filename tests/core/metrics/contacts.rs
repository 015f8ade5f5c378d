use super::fixture::{
    ANKLE_M, FOOT_L, FOOT_R, SUB_FRAMES, Stance, biped, biped_clip, changed, plan, report, rigid_mesh, track, walk,
};
use glam::Vec3;
use posepress_core::metrics::{Contact, ContactPlan, ContactSettings, FootContacts, PointSpan, SolePlace};
use posepress_core::model::{Clip, Tip};

/// Start and end of the contacts of a foot, as samples at 30 Hz.
fn contacts_of(plan: &ContactPlan, joint: usize) -> Vec<(i32, i32)> {
    let foot = plan.feet.iter().position(|f| f.joint == joint).unwrap();
    let frame = |secs: f32| (secs * 30.0).round() as i32;
    let own = plan.contacts.iter().filter(|p| p.foot == foot);
    own.map(|p| (frame(p.start_secs), frame(p.end_secs))).collect()
}

#[test]
fn a_walk_on_a_treadmill_tells_its_speed_and_every_contact() {
    let rig = biped(1.0);
    let plan = plan(&rig, &biped_clip(&rig, 31, true, |t| walk(t, 1.0, false)));
    assert_eq!(plan.feet.iter().map(|f| f.joint).collect::<Vec<_>>(), [FOOT_L, FOOT_R]);
    assert!((plan.scale - 1.0).abs() < 0.01, "{}", plan.scale);
    assert!(plan.ground_velocity_m_s.distance(Vec3::new(0.0, 0.0, -1.4)) < 0.05, "{}", plan.ground_velocity_m_s);
    assert!((plan.ground_m - ANKLE_M).abs() < 1e-3);
    // The left foot lands at 0.9 s and lifts at 1.5 s, across the seam; the right foot from 0.4 to 1.0 s. One sample of slack
    // at each end.
    let (left, right) = (contacts_of(&plan, FOOT_L), contacts_of(&plan, FOOT_R));
    assert!(matches!(left[..], [(26..=28, 44..=46)]), "{left:?}");
    assert!(matches!(right[..], [(11..=13, 29..=31)]), "{right:?}");
}

#[test]
fn the_same_walk_over_ground_stands_still() {
    let rig = biped(1.0);
    let plan = plan(&rig, &biped_clip(&rig, 91, false, |t| walk(t, 1.0, true)));
    assert_eq!(plan.ground_velocity_m_s, Vec3::ZERO);
    let (left, right) = (contacts_of(&plan, FOOT_L), contacts_of(&plan, FOOT_R));
    assert_eq!((left.len(), right.len()), (4, 3), "{left:?} {right:?}");
    assert!(left.iter().skip(1).zip(&right).all(|(l, r)| r.0 < l.0 && l.0 < r.1), "they alternate");
}

#[test]
fn a_giant_and_a_dwarf_have_the_contacts_of_a_person() {
    let expected = {
        let rig = biped(1.0);
        plan(&rig, &biped_clip(&rig, 91, false, |t| walk(t, 1.0, true)))
    };
    for size in [0.1, 10.0, 190.0] {
        let rig = biped(size);
        let found = plan(&rig, &biped_clip(&rig, 91, false, |t| walk(t, size, true)));
        let spans =
            |plan: &ContactPlan| plan.contacts.iter().map(|c| (c.foot, c.start_secs, c.end_secs)).collect::<Vec<_>>();
        assert_eq!(spans(&found), spans(&expected), "size {size}");
        assert!(found.contacts.iter().all(|contact| contact.source.slide_m < 1e-5 * size), "{:?}", found.contacts);
        assert!((found.scale / expected.scale / size - 1.0).abs() < 1e-5);
    }
}

#[test]
fn a_given_ground_velocity_is_taken() {
    let rig = biped(1.0);
    let clip = biped_clip(&rig, 31, true, |t| walk(t, 1.0, false));
    let still = ContactSettings { ground_velocity_m_s: Some(Vec3::ZERO), ..ContactSettings::default() };
    let plan = ContactPlan::find(&rig, &clip, &track(&rig, &clip), &still);
    assert_eq!((plan.ground_velocity_m_s, plan.contacts.len()), (Vec3::ZERO, 0));
}

#[test]
fn a_foot_that_stays_up_does_not_stand() {
    let rig = biped(1.0);
    let raise = Vec3::Y * 0.3;
    let clip = biped_clip(&rig, 31, false, |_| {
        let still = Stance::still(1.0);
        Stance { right: still.right + raise, ..still }
    });
    let plan = plan(&rig, &clip);
    assert_eq!(contacts_of(&plan, FOOT_L), [(0, 30)]);
    assert_eq!(contacts_of(&plan, FOOT_R), []);
}

#[test]
fn limits_are_those_of_the_settings() {
    let rig = biped(1.0);
    // Lowered to 2.4 cm above its standing height for 10 samples, then to 2.7 cm for 10 samples.
    let clip = biped_clip(&rig, 61, false, |t| {
        let still = Stance::still(1.0);
        let height_m = match (t * 30.0).round() as i32 {
            10..20 => 0.024,
            35..45 => 0.027,
            _ => 0.2,
        };
        Stance { right: still.right + Vec3::Y * height_m, ..still }
    });
    let with = |sensitivity: f32| {
        let settings = ContactSettings { sensitivity, ..ContactSettings::default() };
        contacts_of(&ContactPlan::find(&rig, &clip, &track(&rig, &clip), &settings), FOOT_R)
    };
    assert_eq!(with(1.0), [(10, 19)]);
    assert_eq!(with(1.2), [(10, 19), (35, 44)]);
    assert_eq!(with(0.8), []);
}

#[test]
fn short_contacts_are_dropped() {
    let rig = biped(1.0);
    let hop = |down: std::ops::Range<i32>| {
        plan(
            &rig,
            &biped_clip(&rig, 31, false, |t| {
                let still = Stance::still(1.0);
                let up = if down.contains(&((t * 30.0).round() as i32)) { 0.0 } else { 0.2 };
                Stance { right: still.right + Vec3::Y * up, ..still }
            }),
        )
    };
    assert_eq!(contacts_of(&hop(10..11), FOOT_R), [], "one sample has no length");
    assert_eq!(contacts_of(&hop(10..12), FOOT_R), [(10, 11)], "a stand of two samples");
    assert_eq!(contacts_of(&hop(10..15), FOOT_R), [(10, 14)]);
}

#[test]
fn a_pose_has_feet_but_no_contacts() {
    let rig = biped(1.0);
    let plan = plan(&rig, &biped_clip(&rig, 1, false, |_| Stance::still(1.0)));
    assert_eq!((plan.feet.len(), plan.contacts.len()), (2, 0));
}

#[test]
fn soles_are_the_lowest_skin_then_tips_then_the_joint() {
    let mut rig = biped(1.0);
    let corners = [[0.04, -0.1], [-0.04, -0.1], [0.04, 0.15], [-0.04, 0.15]];
    let bottom = corners.map(|[x, z]| Vec3::new(x, -ANKLE_M, z));
    let top = corners.map(|[x, z]| Vec3::new(x, 0.0, z));
    rig.meshes = vec![rigid_mesh(FOOT_L, Vec3::new(0.1, ANKLE_M, 0.0), &[top, bottom].concat())];
    rig.tips = vec![Tip { joint: FOOT_R, offset: Vec3::Z * 0.2 }];
    let mut bare = biped(1.0);
    let clip = biped_clip(&rig, 31, false, |_| Stance::still(1.0));
    let feet = |rig| plan(rig, &clip).feet;
    // Only one foot has skin here, and a rig with skin uses only such feet: the other must be marked.
    assert_eq!(feet(&rig).len(), 1);
    let sole = &feet(&rig)[0].sole;
    let mut vertices: Vec<_> = sole
        .iter()
        .map(|p| match p.place {
            SolePlace::Vertex { mesh: 0, vertex } => vertex,
            other => panic!("{other:?}"),
        })
        .collect();
    vertices.sort_unstable();
    assert_eq!(vertices, [4, 5, 6, 7]);
    let pose = track(&rig, &clip);
    assert!(feet(&rig)[0].sole_positions(&rig, &pose.pose(0), &[]).iter().all(|p| p.y.abs() < 1e-6));

    bare.tips = rig.tips.clone();
    let bare_feet = feet(&bare);
    let places = |foot: usize| bare_feet[foot].sole.iter().map(|p| p.place).collect::<Vec<_>>();
    assert_eq!(places(0), [SolePlace::Offset(Vec3::ZERO)]);
    // Ankle and tip are at one height here: the sole is from behind the ankle to ahead of the tip.
    let offsets = [-0.1, 0.2, 0.31].map(|z| SolePlace::Offset(Vec3::Z * z));
    assert_eq!(places(1), offsets);
}

#[test]
fn marked_joints_are_feet_whatever_their_names() {
    let rig = biped(1.0);
    let clip = biped_clip(&rig, 31, false, |_| Stance::still(1.0));
    let settings = ContactSettings {
        extra_joints: vec!["shin_r".into(), "foot_l".into(), "no such joint".into()],
        ..ContactSettings::default()
    };
    let plan = ContactPlan::find(&rig, &clip, &track(&rig, &clip), &settings);
    let marked: Vec<_> = plan.feet.iter().map(|f| (f.joint, f.marked)).collect();
    assert_eq!(marked, [(FOOT_L, false), (5, true), (FOOT_R, false)]);
    assert_eq!(contacts_of(&plan, 5), [(0, 30)]);
}

#[test]
fn a_rig_without_legs_has_an_empty_plan() {
    use posepress_core::math::Transform;
    use posepress_core::model::{Joint, Rig, Skeleton};
    let joint = Joint { name: "door".into(), parent: None, bind: Transform::IDENTITY };
    let rig = Rig::from_skeleton("door", Skeleton::new(vec![joint]).unwrap());
    let clip = super::fixture::clip(&rig, 1.0, vec![Transform::IDENTITY; 31], vec![], false);
    let plan = plan(&rig, &clip);
    assert_eq!((plan.feet.len(), plan.contacts.len(), plan.scale), (0, 0, 1.0));
    assert_eq!(report(&rig, &clip, &clip).slide.worst_slide_m(), None);
}

#[test]
fn contacts_across_the_seam_cover_the_last_and_the_first_step() {
    let rig = biped(1.0);
    let raw = track(&rig, &biped_clip(&rig, 11, true, |_| Stance::still(1.0)));
    let tenth = |i: i32| i as f32 / 30.0;
    let between = |start_secs, end_secs| Contact {
        foot: 0,
        start_secs,
        end_secs,
        ground_m: 0.0,
        stands: vec![PointSpan { point: 0, start_secs, end_secs }],
        source: posepress_core::metrics::SourceDrift::default(),
    };
    let steps = |a, b| between(tenth(a), tenth(b)).steps(&raw).collect::<Vec<_>>();
    assert_eq!(steps(9, 11), [36, 37, 38, 39, 40, 0, 1, 2, 3, 4]);
    assert_eq!(steps(9, 10), [36, 37, 38, 39, 40]);
    assert_eq!(steps(0, 10).len(), 10 * SUB_FRAMES + 1);
    let contact = between(0.3, 0.4);
    assert_eq!(contact.spans(0.35).count(), 2);
    assert!(contact.covers(0.02, 0.35) && contact.covers(0.32, 0.35) && !contact.covers(0.1, 0.35));
}

#[test]
fn a_foot_that_slides_in_the_source_is_said_to_and_a_rolling_or_treadmill_foot_is_not() {
    let rig = biped(1.0);
    let still = biped_clip(&rig, 31, false, |_| Stance::still(1.0));
    let sliding = changed(&rig, &still, |sample, joint, t| {
        if joint == FOOT_L {
            t.translation.x += 0.02 * sample as f32 / 30.0;
        }
    });
    let of = |clip: &Clip| {
        let contacts = report(&rig, clip, clip).slide.contacts;
        contacts.iter().map(|contact| (contact.joint, contact.source_m, contact.slide_m)).collect::<Vec<_>>()
    };
    assert!(of(&still).iter().all(|contact| contact.1 == 0.0));
    let found = of(&sliding);
    assert!(
        (found[0].0, found[1].1, found[0].2) == (FOOT_L, 0.0, 0.0) && (found[0].1 - 0.02).abs() < 1e-5,
        "{found:?}"
    );
    // Root motion is no slide, and on a treadmill only an uneven speed is.
    for travels in [false, true] {
        let walking = biped_clip(&rig, 61, true, |t| walk(t, 1.0, travels));
        let found = of(&walking);
        assert!(!found.is_empty() && found.iter().all(|contact| contact.1 < 2e-3), "{found:?}");
    }
}

#[test]
fn contacts_drawn_by_hand_replace_those_that_were_found() {
    let rig = biped(1.0);
    let clip = biped_clip(&rig, 31, false, |_| Stance::still(1.0));
    let drawn = |spans: &[[f32; 2]]| {
        let by_hand = vec![FootContacts { joint: "foot_l".into(), spans_secs: spans.to_vec() }];
        let settings = ContactSettings { by_hand, ..ContactSettings::default() };
        ContactPlan::find(&rig, &clip, &track(&rig, &clip), &settings)
    };
    let plan = drawn(&[[0.5, 0.8], [0.1, 0.2]]);
    assert_eq!(contacts_of(&plan, FOOT_L), [(3, 6), (15, 24)], "in the order of time");
    assert_eq!(contacts_of(&plan, FOOT_R), [(0, 30)], "the other foot is as it was found");
    assert!(contacts_of(&drawn(&[]), FOOT_L).is_empty(), "all were deleted");
    let odd = drawn(&[[0.9, 7.0], [0.4, 0.4], [0.7, 0.6], [f32::NAN, 0.5]]);
    assert_eq!(contacts_of(&odd, FOOT_L), [(27, 30)], "cut to the clip; what is no span is left out");
}

#[test]
fn a_foot_that_rests_just_above_the_ground_for_long_stands() {
    let rig = biped(1.0);
    let with_right_at = |up_m: f32, ahead_m: f32| {
        let still = Stance::still(1.0);
        let right = still.right + Vec3::new(0.0, up_m, ahead_m);
        let plan = plan(&rig, &biped_clip(&rig, 61, false, |_| Stance { right, ..still }));
        plan.contacts.iter().filter(|contact| plan.feet[contact.foot].joint == FOOT_R).count()
    };
    assert_eq!(with_right_at(0.035, 0.9), 1, "as the foot of a person who sits on the floor with one leg stretched");
    assert_eq!(with_right_at(0.25, 0.9), 0, "a raised foot does not stand");
}
