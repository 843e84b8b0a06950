import { type InputRequiredResult, isInputRequiredResult } from '@modelcontextprotocol/server';

export { acceptedContent, inputRequired, inputResponse } from '@modelcontextprotocol/server';

export function isInputRequired(answer: unknown): answer is InputRequiredResult {
  return isInputRequiredResult(answer);
}
