// WebGPU in a Chromium without a graphics card: SwiftShader draws, but nothing brings its pictures to the screen. The page draws into a texture of
// its own instead, from which `picture` reads.

export const ARGS = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan', '--use-vulkan=swiftshader'];

/** Before the page loads. */
export const prepare = (page) => page.evaluateOnNewDocument(drawIntoTexture);

/** What the canvas shows: its PNG, and the number of its colours. */
export async function picture(page) {
  const { png, colors } = await page.evaluate(() => document.querySelector('canvas').picture());
  return { png: Buffer.from(png.split(',')[1], 'base64'), colors };
}

function drawIntoTexture() {
  const original = HTMLCanvasElement.prototype.getContext;
  let device;
  // The screen would make the page wait for its last picture.
  const nextFrame = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (draw) => nextFrame(() => Promise.resolve(device?.queue.onSubmittedWorkDone()).then(() => draw(performance.now())));
  HTMLCanvasElement.prototype.getContext = function getContext(kind, ...rest) {
    if (kind !== 'webgpu') return original.call(this, kind, ...rest);
    const canvas = this;
    let [texture, how] = [];
    const context = {
      canvas,
      configure(options) {
        [texture, how, device] = [undefined, options, options.device];
      },
      unconfigure() {},
      getCurrentTexture() {
        const { width, height } = canvas;
        if (texture?.width !== width || texture?.height !== height) {
          const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC;
          texture = how.device.createTexture({ size: [width, height], format: how.format, viewFormats: how.viewFormats ?? [], usage });
        }
        return texture;
      },
    };
    canvas.picture = async () => {
      const { width, height, format } = texture;
      const bytesPerRow = Math.ceil((width * 4) / 256) * 256;
      const buffer = how.device.createBuffer({ size: bytesPerRow * height, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
      const encoder = how.device.createCommandEncoder();
      encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow }, [width, height]);
      how.device.queue.submit([encoder.finish()]);
      await buffer.mapAsync(GPUMapMode.READ);
      const rows = new Uint8Array(buffer.getMappedRange());
      const order = format.startsWith('bgra') ? [2, 1, 0] : [0, 1, 2];
      const pixels = new Uint8ClampedArray(width * height * 4).fill(255);
      const colors = new Set();
      for (let at = 0; at < width * height; at++) {
        const from = Math.floor(at / width) * bytesPerRow + (at % width) * 4;
        order.forEach((channel, to) => (pixels[at * 4 + to] = rows[from + channel]));
        colors.add((rows[from] << 16) | (rows[from + 1] << 8) | rows[from + 2]);
      }
      buffer.destroy();
      const flat = document.createElement('canvas');
      Object.assign(flat, { width, height });
      flat.getContext('2d').putImageData(new ImageData(pixels, width, height), 0, 0);
      return { png: flat.toDataURL('image/png'), colors: colors.size };
    };
    return Object.setPrototypeOf(context, GPUCanvasContext.prototype);
  };
}
