// For gjs: a window that starts a program for each line of its input, as a terminal does.
imports.gi.versions.Gtk = '3.0';
const { Gio, GLib, Gtk } = imports.gi;
Gtk.init(null);
const window = new Gtk.Window({ title: ARGV[0], default_width: 300, default_height: 100 });
window.connect('map-event', () => print('mapped'));
window.show_all();
const input = new Gio.DataInputStream({ base_stream: new Gio.UnixInputStream({ fd: 0 }) });
function next() {
  input.read_line_async(GLib.PRIORITY_DEFAULT, null, (_, result) => {
    const [line] = input.read_line_finish_utf8(result);
    if (line === null) return Gtk.main_quit();
    const [, argv] = GLib.shell_parse_argv(line);
    const child = Gio.Subprocess.new(argv, Gio.SubprocessFlags.NONE);
    child.wait_async(null, () => print(`exited with ${child.get_exit_status()}`));
    next();
  });
}
next();
Gtk.main();
