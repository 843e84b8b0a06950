/**
 * `npm start` serves over HTTP; `npm start -- token show` does what else the program can.
 * @param {readonly string[]} args
 * @returns {readonly string[]}
 */
export function aggregatorArguments(args) {
  const [first = '-'] = args;
  return first.startsWith('-') ? ['http', ...args] : args;
}
