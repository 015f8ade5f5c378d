use bytemuck::Pod;

/// A buffer that grows with its content and never shrinks.
#[derive(Debug)]
pub(super) struct GrowingBuffer {
    label: &'static str,
    usage: wgpu::BufferUsages,
    buffer: wgpu::Buffer,
}

/// Size of the smallest buffer, because empty bindings are not allowed. It is the largest alignment in use.
const SMALLEST: u64 = 64;

impl GrowingBuffer {
    pub fn new(device: &wgpu::Device, label: &'static str, usage: wgpu::BufferUsages) -> Self {
        let usage = usage | wgpu::BufferUsages::COPY_DST;
        let buffer = empty(device, label, usage, SMALLEST);
        Self { label, usage, buffer }
    }

    /// Replaces the content. Returns true if the buffer is a new object, so that bind groups must be made again.
    pub fn write<T: Pod>(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, content: &[T]) -> bool {
        let bytes: &[u8] = bytemuck::cast_slice(content);
        let grows = bytes.len() as u64 > self.buffer.size();
        if grows {
            let size = (bytes.len() as u64).next_power_of_two();
            self.buffer = empty(device, self.label, self.usage, size);
        }
        if !bytes.is_empty() {
            queue.write_buffer(&self.buffer, 0, bytes);
        }
        grows
    }

    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }
}

fn empty(device: &wgpu::Device, label: &str, usage: wgpu::BufferUsages, size: u64) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false })
}

/// A buffer whose content never changes. It is padded, so that it can be bound even if it is empty. It is written
/// through the queue, because a buffer without memory cannot be mapped.
pub(super) fn fixed<T: Pod>(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    label: &str,
    usage: wgpu::BufferUsages,
    content: &[T],
) -> wgpu::Buffer {
    let bytes: &[u8] = bytemuck::cast_slice(content);
    let size = (bytes.len() as u64).next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT).max(SMALLEST);
    let descriptor = wgpu::BufferDescriptor {
        label: Some(label),
        size,
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    };
    let buffer = device.create_buffer(&descriptor);
    if !bytes.is_empty() {
        queue.write_buffer(&buffer, 0, bytes);
    }
    buffer
}
