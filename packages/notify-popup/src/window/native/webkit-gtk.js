// A window with one page, for gjs. Arguments: address, title, width, height, keyboard.
/* global imports, ARGV */
imports.gi.versions.Gtk = '3.0';
imports.gi.versions.WebKit2 = '4.1';
const { GLib, Gtk, WebKit2 } = imports.gi;

const [address, title, width, height, keyboard] = ARGV;
GLib.set_prgname('deskside-popup');
Gtk.init(null);

const window = new Gtk.Window({
  title,
  default_width: Number(width),
  default_height: Number(height),
  window_position: Gtk.WindowPosition.CENTER,
  icon_name: 'dialog-question',
});
window.set_keep_above(true);
window.set_focus_on_map(keyboard === 'takes-keyboard');
window.stick();
window.connect('destroy', () => Gtk.main_quit());

const view = new WebKit2.WebView({ web_context: WebKit2.WebContext.new_ephemeral() });
view.connect('notify::title', () => window.set_title(view.title || title));
// The page asks for its size and place.
view.get_window_properties().connect('notify::geometry', ({ geometry: { x, y, width, height } }) => {
  window.resize(width, height);
  window.move(x, y);
});
view.connect('context-menu', () => false);
view.connect('close', () => window.destroy());
view.load_uri(address);

window.add(view);
window.show_all();
if (keyboard === 'takes-keyboard') window.present();
view.grab_focus();
Gtk.main();
