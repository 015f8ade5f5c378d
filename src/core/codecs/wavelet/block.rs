//! One block of samples before it is written: the decoded tracks for given steps.

use super::decode::{EXACT, JOINED_VALUES, Layout, as_number};
use super::signals::{SignalCodes, TrackSignals};
use crate::codecs::encode::with_channel;
use crate::math::{Transform, pad, wavelet_forward};
use crate::model::Channel;
use glam::DVec4;
use std::ops::Range;

/// The tracks of a clip within one block.
pub struct Block<'a> {
    pub layout: &'a Layout,
    pub tracks: &'a [TrackSignals],
    /// The block's samples in the clip.
    pub samples: Range<usize>,
}

/// A block in its stored form.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BlockCodes {
    /// Step codes of the components of each track.
    pub steps: Vec<[u8; 3]>,
    /// By channel, then in the order of the format.
    pub signals: [Vec<SignalCodes>; 3],
}

impl BlockCodes {
    /// Every track as float32.
    pub fn exact(tracks: usize) -> Self {
        Self { steps: vec![[EXACT; 3]; tracks], ..Self::default() }
    }
}

/// Memory that is reused between trials.
#[derive(Debug, Default)]
pub struct Buffers {
    signal: Vec<f64>,
    lifting: Vec<f64>,
}

impl Buffers {
    /// Pads and transforms the signal.
    fn forward(&mut self, layout: &Layout) {
        if layout.padded(self.signal.len()) > self.signal.len() {
            pad(layout.padding, &mut self.signal);
        }
        self.lifting.resize(self.signal.len(), 0.0);
        wavelet_forward(layout.wavelet, layout.padding, &mut self.signal, &mut self.lifting);
    }

    /// The values of a signal with its padding, in steps.
    pub fn inverse(&mut self, layout: &Layout, codes: &SignalCodes, padded: usize) -> &[f64] {
        self.signal.resize(padded, 0.0);
        self.lifting.resize(padded, 0.0);
        codes.dequantize(layout, &mut self.signal);
        layout.wavelet.inverse(layout.padding, &mut self.signal, &mut self.lifting);
        &self.signal
    }
}

/// Memory for the three components of a track, which are transformed together. The fourth lane is zero.
#[derive(Debug, Default)]
pub struct TrackBuffers {
    signals: Vec<DVec4>,
    lifting: Vec<DVec4>,
    /// The numbers of one component.
    component: Vec<f64>,
}

impl TrackBuffers {
    /// Pads and transforms the components of a track. Then [`TrackBuffers::component`] has their coefficients.
    pub fn transform(&mut self, layout: &Layout, values: &[DVec4]) {
        self.signals.clear();
        self.signals.extend_from_slice(values);
        if layout.padded(values.len()) > values.len() {
            pad(layout.padding, &mut self.signals);
        }
        self.lifting.resize(self.signals.len(), DVec4::ZERO);
        wavelet_forward(layout.wavelet, layout.padding, &mut self.signals, &mut self.lifting);
    }

    /// The numbers of one component.
    pub fn component(&mut self, component: usize) -> &[f64] {
        self.component.clear();
        self.component.extend(self.signals.iter().map(|numbers| numbers.as_ref()[component]));
        &self.component
    }

    /// The values of a track's signals with their padding, in steps.
    pub fn inverse(&mut self, layout: &Layout, codes: &[SignalCodes; 3], padded: usize) -> &[DVec4] {
        self.signals.resize(padded, DVec4::ZERO);
        self.lifting.resize(padded, DVec4::ZERO);
        self.component.resize(padded, 0.0);
        for (component, codes) in codes.iter().enumerate() {
            codes.dequantize(layout, &mut self.component);
            let pairs = self.signals.iter_mut().zip(&self.component);
            pairs.for_each(|(numbers, number)| numbers.as_mut()[component] = *number);
        }
        layout.wavelet.inverse(layout.padding, &mut self.signals, &mut self.lifting);
        &self.signals
    }
}

impl Block<'_> {
    /// The coefficients of each component of a separate track, in units of the track, padded.
    pub fn coefficients(&self, track: usize, buffers: &mut Buffers) -> [Vec<f64>; 3] {
        std::array::from_fn(|component| {
            buffers.signal.clear();
            let values = &self.tracks[track].components[component][self.samples.clone()];
            buffers.signal.extend(values.iter().copied().map(f64::from));
            buffers.forward(self.layout);
            buffers.signal.clone()
        })
    }

    /// Decodes a separate track with a step and writes it to its channel of `locals`, one per sample. `raw`: the clip's transforms. Returns
    /// true if all its coefficients are zero.
    pub fn decode_track(
        &self,
        track: usize,
        coefficients: &[Vec<f64>; 3],
        code: u8,
        raw: &[Transform],
        locals: &mut [Transform],
        buffers: &mut Buffers,
    ) -> bool {
        let track = &self.tracks[track].track;
        if code == EXACT {
            locals.iter_mut().zip(raw).for_each(|(l, r)| *l = with_channel(*l, track.channel, r));
            return false;
        }
        let step = track.step(code);
        let mut numbers = vec![[0.0f32; 3]; locals.len()];
        let mut is_zero = true;
        for (component, coefficients) in coefficients.iter().enumerate() {
            let in_steps: Vec<f64> = coefficients.iter().map(|c| c / step).collect();
            let codes = SignalCodes::new(self.layout, &in_steps);
            is_zero &= codes.is_zero();
            let values = buffers.inverse(self.layout, &codes, in_steps.len());
            numbers.iter_mut().zip(values).for_each(|(n, v)| n[component] = as_number(v * step));
        }
        locals.iter_mut().zip(numbers).for_each(|(local, numbers)| track.put(numbers, local));
        is_zero
    }

    /// All signals of all tracks with given steps.
    pub fn codes(&self, steps: &[[u8; 3]], buffers: &mut Buffers) -> BlockCodes {
        let of_channel = |channel| {
            if self.layout.is_joined {
                self.joined_codes(channel, steps, buffers)
            } else {
                self.track_codes(channel, steps, buffers)
            }
        };
        BlockCodes { steps: steps.to_vec(), signals: Channel::ALL.map(of_channel) }
    }

    /// Each component separately, quantized as in trials.
    fn track_codes(&self, channel: Channel, steps: &[[u8; 3]], buffers: &mut Buffers) -> Vec<SignalCodes> {
        let mut signals = Vec::new();
        for (track, _) in self.runs(channel, steps).into_iter().step_by(3) {
            for (coefficients, code) in self.coefficients(track, buffers).iter().zip(steps[track]) {
                let step = self.tracks[track].track.step(code);
                let in_steps: Vec<f64> = coefficients.iter().map(|c| c / step).collect();
                signals.push(SignalCodes::new(self.layout, &in_steps));
            }
        }
        signals
    }

    /// All components one after another, each in its own steps.
    fn joined_codes(&self, channel: Channel, steps: &[[u8; 3]], buffers: &mut Buffers) -> Vec<SignalCodes> {
        let runs = self.runs(channel, steps);
        let mut values = runs.iter().flat_map(|(track, component)| self.in_steps(*track, *component, steps));
        let mut signals = Vec::new();
        for len in self.layout.signal_lengths(runs.len(), self.samples.len()) {
            buffers.signal.clear();
            buffers.signal.extend(values.by_ref().take(len));
            buffers.forward(self.layout);
            signals.push(SignalCodes::new(self.layout, &buffers.signal));
        }
        signals
    }

    /// The tracks of a channel that are not exact, once per component.
    pub fn runs(&self, channel: Channel, steps: &[[u8; 3]]) -> Vec<(usize, usize)> {
        let of_channel = |t: &usize| self.tracks[*t].track.channel == channel && steps[*t][0] != EXACT;
        let tracks = (0..self.tracks.len()).filter(of_channel);
        tracks.flat_map(|track| [0, 1, 2].map(|component| (track, component))).collect()
    }

    fn in_steps(&self, track: usize, component: usize, steps: &[[u8; 3]]) -> impl Iterator<Item = f64> + '_ {
        let step = self.tracks[track].track.step(steps[track][component]);
        self.tracks[track].components[component][self.samples.clone()].iter().map(move |v| f64::from(*v) / step)
    }

    /// Decodes joined signals. `put` gets track, sample and numbers.
    pub fn decode_joined(
        &self,
        codes: &BlockCodes,
        buffers: &mut Buffers,
        mut put: impl FnMut(usize, usize, [f32; 3]),
    ) {
        let count = self.samples.len();
        for channel in Channel::ALL {
            let runs = self.runs(channel, &codes.steps);
            let mut values = Vec::with_capacity(runs.len() * count);
            for (signal, len) in
                codes.signals[channel as usize].iter().zip(self.layout.signal_lengths(runs.len(), count))
            {
                debug_assert!(len <= JOINED_VALUES.max(count));
                values.extend_from_slice(&buffers.inverse(self.layout, signal, self.layout.padded(len))[..len]);
            }
            for (track, values) in runs.iter().step_by(3).map(|r| r.0).zip(values.chunks_exact(3 * count)) {
                let steps = codes.steps[track].map(|code| self.tracks[track].track.step(code));
                for sample in 0..count {
                    put(track, sample, [0, 1, 2].map(|c| as_number(values[c * count + sample] * steps[c])));
                }
            }
        }
    }
}
