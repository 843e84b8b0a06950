import { temporaryFolder } from '@deskside/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { callOf } from '../testing/fake.ts';
import {
  FURTHER_SERVERS,
  installNpmServers,
  killIn,
  NPM_SERVERS,
  npmServer,
} from '../testing/npm-servers.ts';
import { openDesk } from '../testing/open-desk.ts';
import { SEARCH_QUESTIONS } from '../testing/search-questions.ts';

describe('servers from npm', () => {
  beforeAll(installNpmServers);

  test.each([...NPM_SERVERS, ...FURTHER_SERVERS])(
    '$name is listed, answers a call, and the next one after it was killed',
    async (npm) => {
      const { tool, input = {} } = npm;
      const folder = temporaryFolder();
      const { peer, desk } = await openDesk({ x: npmServer(npm, folder) }, { tools: 'all' });
      const { tools } = (await peer.request('tools/list')) as { tools: readonly { name: string }[] };
      expect(tools.map((each) => each.name)).toContain(`x_${tool}`);
      // Without a key or a network an error of the server is an answer, too.
      const answers = async () => {
        const answer = await callOf(peer, `x_${tool}`, input);
        expect(JSON.stringify(answer)).not.toMatch(/UNAVAILABLE|INVALID_ANSWER/);
        expect(answer['content'] ?? answer['error']).toBeDefined();
      };
      await answers();
      const used = callOf(peer, `x_${tool}`, input);
      expect(killIn(folder)).toBe(1);
      expect(JSON.stringify(await used)).not.toContain('INVALID_ANSWER');
      await answers();
      expect(await desk.aggregator.mountStates()).toMatchObject([{ state: 'ready' }]);
    },
  );

  test('find_tools returns the right tool of all servers among five', async () => {
    const specs = Object.fromEntries(NPM_SERVERS.map((npm) => [npm.id, npmServer(npm)]));
    const { peer } = await openDesk(specs);
    const { tools } = (await peer.request('tools/list')) as { tools: readonly { name: string }[] };
    expect(tools.map(({ name }) => name)).toStrictEqual(['call_tool', 'find_tools']);
    const isFound = async (query: string, right: readonly string[]) => {
      const answer = await callOf(peer, 'find_tools', { query });
      const { tools: found } = answer['structuredContent'] as { tools: readonly { name: string }[] };
      expect(found.length).toBeLessThanOrEqual(5);
      return found.some(({ name }) => right.includes(name));
    };
    for (const [isParaphrase, share] of [
      [false, 0.9],
      [true, 0.75],
    ] as const) {
      const questions = SEARCH_QUESTIONS.filter((question) => question.isParaphrase === isParaphrase);
      const missed: string[] = [];
      for (const { question, tools: right } of questions) {
        if (!(await isFound(question, right))) missed.push(question);
      }
      expect(missed.length, missed.join('; ')).toBeLessThanOrEqual((1 - share) * questions.length);
    }
  });
});
