// The example for PlayCanvas, on its device that draws nothing.

import { AppBase, AppOptions, Asset, ContainerHandler, NullGraphicsDevice, RenderComponentSystem, RenderHandler } from 'playcanvas';
import { play } from './web_example.mjs';

await play('posepress-playcanvas.js', async (glb) => {
  const canvas = { width: 1, height: 1 };
  const app = new AppBase(canvas);
  const options = {
    graphicsDevice: new NullGraphicsDevice(canvas),
    componentSystems: [RenderComponentSystem],
    resourceHandlers: [ContainerHandler, RenderHandler],
  };
  app.init(Object.assign(new AppOptions(), options));
  const asset = new Asset('model', 'container', { url: 'model.glb', contents: glb });
  await new Promise((resolve, reject) => {
    asset.once('load', resolve).once('error', reject);
    app.assets.add(asset);
    app.assets.load(asset);
  });
  const root = asset.resource.instantiateRenderEntity();
  app.root.addChild(root);
  const worlds = (names) => names.map((name) => [...root.findByName(name).getWorldTransform().data]);
  return { root, worlds };
});
