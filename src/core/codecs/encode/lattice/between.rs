//! The error between two samples. Corrections that agree at the samples may differ between them where joints rotate fast.

use super::plan::Plan;
use super::solve::Frame;
use crate::math::{Transform, dot4};
use crate::metrics::shell_error_sq;
use glam::Affine3A;

/// Largest error between samples, in limits of the samples.
const BETWEEN_SHARE: f32 = 1.01;
/// Neighbours further apart than this (cosine of half the angle) magnify every error between them. They are not checked.
const LEAST_DOT: f32 = 0.7;
/// Neighbours closer than this, 0.05 radians, differ most at the half.
const SLOW_DOT: f32 = 0.999_7;

/// Memory for the matrices of a pose.
#[derive(Debug, Default)]
pub struct Scratch {
    raw: Vec<Affine3A>,
    lossy: Vec<Affine3A>,
}

/// True if every error between a sample and the next is within the limit.
pub fn is_within(plan: &Plan<'_>, limit_sq: f32, sample: usize, pair: [&Frame; 2], scratch: &mut Scratch) -> bool {
    let clip = plan.source.clip;
    let neighbours = || clip.pose(sample).iter().zip(clip.pose(sample + 1));
    let least_dot = neighbours().map(|(a, b)| dot4(a.rotation.into(), b.rotation.into())).fold(1.0, f32::min);
    let places: &[f32] = match least_dot {
        dot if dot < LEAST_DOT => &[],
        dot if dot < SLOW_DOT => &[0.5, 0.25, 0.75],
        _ => &[0.5],
    };
    places.iter().all(|alpha| is_within_at(plan, limit_sq, (sample, *alpha), pair, scratch))
}

fn is_within_at(
    plan: &Plan<'_>,
    limit_sq: f32,
    (sample, alpha): (usize, f32),
    [a, b]: [&Frame; 2],
    scratch: &mut Scratch,
) -> bool {
    let clip = plan.source.clip;
    let (raw_a, raw_b) = (clip.pose(sample), clip.pose(sample + 1));
    let limit_sq = limit_sq * BETWEEN_SHARE * BETWEEN_SHARE;
    scratch.raw.clear();
    scratch.lossy.clear();
    plan.joints.iter().enumerate().all(|(joint, joint_plan)| {
        let model = |out: &mut Vec<Affine3A>, a: &Transform, b: &Transform| {
            let local = a.lerp(*b, alpha).to_affine();
            out.push(joint_plan.parent.map_or(local, |parent| out[parent] * local));
        };
        model(&mut scratch.raw, &raw_a[joint], &raw_b[joint]);
        model(&mut scratch.lossy, &a.locals[joint], &b.locals[joint]);
        let weight = plan.source.weights.at(sample, joint).min(plan.source.weights.at(sample + 1, joint));
        let error_sq = shell_error_sq(&scratch.raw[joint], &scratch.lossy[joint], plan.source.shells_m[joint]);
        error_sq * (weight * weight) <= limit_sq
    })
}
