use super::values::{FromValue, Track};
use super::{Ask, Budget, Fault, readable};
use openusd::sdf::Value;
use openusd::usd::{Prim, PrimStatus, Stage};

/// Reads the prims of a stage.
pub(super) struct Prims<'a> {
    pub stage: &'a Stage,
    pub budget: &'a Budget,
}

/// A prim that cannot be read.
pub(super) fn at(prim: &Prim) -> impl Fn(Fault) -> Fault {
    let place = format!("prim '{}'", readable(prim.path().as_str()));
    move |fault| fault.at(place.clone())
}

/// Converts an error of the stage.
pub(super) fn damaged(error: impl std::fmt::Display) -> Fault {
    Fault::new(format!("it is damaged: {}", readable(&format!("{error:#}"))))
}

impl Prims<'_> {
    /// All prims that are shown, parents first: defined, active, loaded, and no classes. Instances are read as copies.
    pub fn all(&self) -> Result<Vec<Prim>, Fault> {
        let needed = PrimStatus::ACTIVE | PrimStatus::LOADED | PrimStatus::DEFINED;
        let (mut all, mut open) = (Vec::new(), self.children(&self.stage.prim("/"))?);
        open.reverse();
        while let Some(prim) = open.pop() {
            let status = self.stage.prim_status(prim.path().clone()).map_err(damaged)?;
            if !status.contains(needed) || status.contains(PrimStatus::ABSTRACT) {
                continue;
            }
            let first = open.len();
            open.extend(self.children(&prim)?);
            open[first..].reverse();
            all.push(prim);
        }
        Ok(all)
    }

    fn children(&self, prim: &Prim) -> Result<Vec<Prim>, Fault> {
        let children = prim.children().map_err(damaged)?;
        // Deep prims are composed of the parts of all prims above them.
        let depth = prim.path().prim_element_count() as u64 + 1;
        self.budget.claim(Ask::Prims, depth * children.len() as u64)?;
        Ok(children)
    }

    /// The type of a prim: `Mesh`.
    pub fn kind(&self, prim: &Prim) -> Result<String, Fault> {
        Ok(prim.type_name().map_err(damaged)?.map(|kind| kind.as_str().to_owned()).unwrap_or_default())
    }

    /// The value of an attribute without a time, or `None` without one.
    fn default<T: FromValue>(&self, prim: &Prim, name: &str) -> Result<Option<T>, Fault> {
        let value = prim.attribute(name).get::<Value>().map_err(damaged)?;
        value.filter(|value| !is_blocked(value)).map(|value| self.converted(name, value)).transpose()
    }

    fn converted<T: FromValue>(&self, name: &str, value: Value) -> Result<T, Fault> {
        let value = T::from_value(value);
        let value = value.ok_or_else(|| Fault::new(format!("'{name}' has another type; expected {}", T::KIND)))?;
        self.budget.claim(Ask::Decoded, value.bytes())?;
        Ok(value)
    }

    /// The value of an attribute over time, or `None` without one. Samples that say "no value" are skipped.
    pub fn track<T: FromValue>(&self, prim: &Prim, name: &str) -> Result<Option<Track<T>>, Fault> {
        let samples = prim.attribute(name).time_samples().map_err(damaged)?.unwrap_or_default();
        let mut track = Track { codes: Vec::new(), values: Vec::new() };
        for (code, value) in samples.into_iter().filter(|(_, value)| !is_blocked(value)) {
            if !code.is_finite() || track.codes.last().is_some_and(|last| *last >= code) {
                return Err(Fault::new(format!("the time samples of '{name}' are not in order")));
            }
            track.codes.push(code);
            track.values.push(self.converted(name, value)?);
        }
        match track.moves() {
            true => Ok(Some(track)),
            false => Ok(self.default(prim, name)?.map(Track::constant)),
        }
    }

    /// The value of an attribute that does not move, or its earliest one.
    pub fn value<T: FromValue>(&self, prim: &Prim, name: &str) -> Result<Option<T>, Fault> {
        Ok(self.track(prim, name)?.map(|mut track| track.values.swap_remove(0)))
    }

    /// The prim itself and all above it, nearest first.
    pub fn upwards(&self, prim: &Prim) -> Vec<Prim> {
        prim.path().ancestors_below_root().map(|path| self.stage.prim(path)).collect()
    }

    /// A value of the nearest prim at or above this one that has it.
    pub fn inherited<T: FromValue>(&self, prim: &Prim, name: &str) -> Result<Option<T>, Fault> {
        for prim in self.upwards(prim) {
            if let Some(value) = self.value(&prim, name)? {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// The targets of a relationship; `None` if it is not there.
    pub fn targets(&self, prim: &Prim, name: &str) -> Result<Option<Vec<String>>, Fault> {
        let relationship = prim.relationship(name);
        if !relationship.has_authored_targets().map_err(damaged)? {
            return Ok(None);
        }
        let targets = relationship.forwarded_targets().map_err(damaged)?;
        Ok(Some(targets.iter().map(|path| path.as_str().to_owned()).collect()))
    }

    /// The nearest prim at or above this one with a relationship, and its first target.
    pub fn bound(&self, prim: &Prim, name: &str) -> Result<Option<(Prim, Option<String>)>, Fault> {
        for prim in self.upwards(prim) {
            if let Some(targets) = self.targets(&prim, name)? {
                return Ok(Some((prim, targets.into_iter().next())));
            }
        }
        Ok(None)
    }

    /// True if an attribute has curves instead of samples.
    pub fn has_spline(&self, prim: &Prim, name: &str) -> Result<bool, Fault> {
        Ok(prim.attribute(name).get_metadata::<Value>("spline").map_err(damaged)?.is_some())
    }

    /// Metadata of an attribute.
    pub fn metadata<T: FromValue>(&self, prim: &Prim, name: &str, key: &str) -> Result<Option<T>, Fault> {
        let value = prim.attribute(name).get_metadata::<Value>(key).map_err(damaged)?;
        value.map(|value| self.converted(name, value)).transpose()
    }
}

/// The last part of a prim's path.
pub(super) fn name(prim: &Prim) -> String {
    readable(prim.path().name().unwrap_or_default())
}

fn is_blocked(value: &Value) -> bool {
    matches!(value, Value::ValueBlock | Value::None)
}
