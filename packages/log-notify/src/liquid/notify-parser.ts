import { type Liquid, Parser, TagToken, type TopLevelToken, TypeGuards } from 'liquidjs';

/** `notify` and what it says; a variable of that name, alone, filtered or compared, is still a variable. */
const SPEAKS = /^notify\s+(?!(?:contains|and|or|not)\b)["'\w(]/;

/** Reads `{{ notify "text" }}` as the tag `{% notify "text" %}`; everything else is as in liquidjs. */
export class NotifyParser extends Parser {
  readonly #liquid: Liquid;

  constructor(liquid: Liquid) {
    super(liquid);
    this.#liquid = liquid;
  }

  override parseToken(token: TopLevelToken, remainTokens: TopLevelToken[]) {
    if (!TypeGuards.isOutputToken(token) || !SPEAKS.test(token.content)) {
      return super.parseToken(token, remainTokens);
    }
    const { options } = this.#liquid;
    const asTag = {
      ...options,
      tagDelimiterLeft: options.outputDelimiterLeft,
      tagDelimiterRight: options.outputDelimiterRight,
    };
    return super.parseToken(
      new TagToken(token.input, token.begin, token.end, asTag, token.file),
      remainTokens,
    );
  }
}
