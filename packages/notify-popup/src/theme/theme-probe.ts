/** A system command that says whether the desktop is dark. */
export interface ThemeProbe {
  readonly command: string;
  readonly args: readonly string[];
  /** @param output '' where the command failed */
  readonly isDark: (output: string) => boolean;
}

const probes: Partial<Record<NodeJS.Platform, ThemeProbe>> = {
  // Fails where the theme is light.
  darwin: {
    command: 'defaults',
    args: ['read', '-g', 'AppleInterfaceStyle'],
    isDark: (output) => output.trim() === 'Dark',
  },
  win32: {
    command: 'reg',
    args: [
      'query',
      String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Themes\Personalize`,
      '/v',
      'AppsUseLightTheme',
    ],
    isDark: (output) => /AppsUseLightTheme\s+REG_DWORD\s+0x0\s*$/m.test(output),
  },
  linux: {
    command: 'gsettings',
    args: ['get', 'org.gnome.desktop.interface', 'color-scheme'],
    isDark: (output) => output.includes('dark'),
  },
};

export function themeProbe(platform: NodeJS.Platform): ThemeProbe | undefined {
  return probes[platform];
}
