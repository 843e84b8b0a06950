import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

/** A chat that shows MCP Apps with the official AppBridge. It runs in a page. */
export interface AppHost {
  readonly bridge: AppBridge;
  /** The messages of the view, in order. */
  readonly messages: unknown[];
  readonly sizes: { width?: number | undefined; height?: number | undefined }[];
}

/** Opens the view in a sandboxed frame. Resolves after the handshake. */
export async function openApp(html: string): Promise<AppHost> {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.style.cssText = 'width: 100%; border: 0';
  document.body.append(frame);
  const view = frame.contentWindow;
  if (view === null) throw new Error('a frame without a window');

  // Some hosts accept messages and do not declare it.
  const bridge = new AppBridge(
    null,
    { name: 'chat', version: '1.0.0' },
    {},
    { hostContext: { theme: 'dark' } },
  );
  const host: AppHost = { bridge, messages: [], sizes: [] };
  bridge.onmessage = async (params) => {
    host.messages.push(params);
    return {};
  };
  bridge.onsizechange = (size) => {
    host.sizes.push(size);
    frame.style.height = `${size.height}px`;
  };
  const initialized = new Promise<void>((resolve) => {
    bridge.oninitialized = () => resolve();
  });
  await bridge.connect(new PostMessageTransport(view, view));
  frame.srcdoc = html;
  await initialized;
  return host;
}
