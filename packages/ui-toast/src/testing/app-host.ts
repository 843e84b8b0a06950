import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

/** A chat that shows MCP Apps, on the official AppBridge; it runs in a page. */
export interface AppHost {
  readonly bridge: AppBridge;
  /** What the view sent, in order. */
  readonly messages: unknown[];
  readonly sizes: { width?: number | undefined; height?: number | undefined }[];
}

export interface AppHostOptions {
  readonly html: string;
  /** False for a host that takes no messages from views. */
  readonly takesMessages: boolean;
  /** How it answers a message. */
  readonly refuses: boolean;
}

/** Opens the view in a sandboxed frame. Resolves when it has shaken hands. */
export async function openApp({ html, takesMessages, refuses }: AppHostOptions): Promise<AppHost> {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.style.cssText = 'width: 100%; border: 0';
  document.body.append(frame);
  const view = frame.contentWindow;
  if (view === null) throw new Error('a frame without a window');

  const capabilities = takesMessages ? { message: { text: {} } } : {};
  const bridge = new AppBridge(null, { name: 'chat', version: '1.0.0' }, capabilities, {
    hostContext: { theme: 'dark' },
  });
  const host: AppHost = { bridge, messages: [], sizes: [] };
  bridge.onmessage = async (params) => {
    host.messages.push(params);
    return refuses ? { isError: true } : {};
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
