// A floating panel with one page, for `osascript -l JavaScript`. Arguments: address, title, width, height, keyboard.
/* global $, ObjC */
ObjC.import('Cocoa');
ObjC.import('WebKit');

// oxlint-disable-next-line eslint/no-unused-vars -- called by osascript
function run([address, title, width, height, keyboard]) {
  const app = $.NSApplication.sharedApplication;
  // Only a regular application gets the keyboard.
  app.setActivationPolicy($.NSApplicationActivationPolicyRegular);
  app.mainMenu = editMenu();

  ObjC.registerSubclass({
    name: 'DesksidePopupDelegate',
    protocols: ['NSWindowDelegate', 'WKUIDelegate'],
    methods: {
      'windowWillClose:': { types: ['void', ['id']], implementation: () => app.terminate(null) },
      'webViewDidClose:': { types: ['void', ['id']], implementation: () => app.terminate(null) },
    },
  });
  const delegate = $.DesksidePopupDelegate.alloc.init;

  const frame = $.NSMakeRect(0, 0, Number(width), Number(height));
  const style = $.NSWindowStyleMaskTitled | $.NSWindowStyleMaskClosable | $.NSWindowStyleMaskResizable;
  const panel = $.NSPanel.alloc.initWithContentRectStyleMaskBackingDefer(
    frame,
    style,
    $.NSBackingStoreBuffered,
    false,
  );
  panel.title = title;
  panel.level = $.NSFloatingWindowLevel;
  panel.hidesOnDeactivate = false;
  panel.collectionBehavior = $.NSWindowCollectionBehaviorCanJoinAllSpaces;
  panel.delegate = delegate;

  const configuration = $.WKWebViewConfiguration.alloc.init;
  configuration.websiteDataStore = $.WKWebsiteDataStore.nonPersistentDataStore;
  const view = $.WKWebView.alloc.initWithFrameConfiguration(frame, configuration);
  view.UIDelegate = delegate;
  view.loadRequest($.NSURLRequest.requestWithURL($.NSURL.URLWithString(address)));

  panel.contentView = view;
  void panel.center;
  if (keyboard === 'takes-keyboard') {
    panel.makeKeyAndOrderFront(null);
    panel.makeFirstResponder(view);
    app.activateIgnoringOtherApps(true);
  } else {
    void panel.orderFrontRegardless;
  }
  void app.run;
}

/** Without these items Cmd+X, C, V and A do nothing. */
function editMenu() {
  const edit = $.NSMenu.alloc.initWithTitle('Edit');
  for (const [name, action, key] of [
    ['Undo', 'undo:', 'z'],
    ['Cut', 'cut:', 'x'],
    ['Copy', 'copy:', 'c'],
    ['Paste', 'paste:', 'v'],
    ['Select All', 'selectAll:', 'a'],
  ]) {
    edit.addItemWithTitleActionKeyEquivalent(name, action, key);
  }
  const menu = $.NSMenu.alloc.init;
  // The first item is the application menu.
  menu.addItem($.NSMenuItem.alloc.init);
  const item = $.NSMenuItem.alloc.init;
  item.submenu = edit;
  menu.addItem(item);
  return menu;
}
