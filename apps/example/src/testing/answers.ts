import { firstText, type Peer } from '@deskside/testkit';

/** A cut list, an empty answer and an error, as a client receives them. */
export async function answers(peer: Peer, name = 'list_departures') {
  const { structuredContent: cut } = await peer.callTool(name, { stop: 'Harbor' });
  const { structuredContent: empty } = await peer.callTool(name, { stop: 'Museum' });
  const unknown = await peer.callTool(name, { stop: 'Zoo' });
  return { cut, empty, unknown: { isError: unknown.isError, text: firstText(unknown) } };
}

export const ANSWERS = {
  cut: {
    departures: ['22:04', '22:19', '22:34'],
    truncation: { truncated: true, returnedCount: 3, totalAvailable: 5 },
    diagnostics: { degraded: false },
  },
  empty: {
    departures: [],
    truncation: { truncated: false, returnedCount: 0, totalAvailable: 0 },
    diagnostics: {
      degraded: false,
      reasonCode: 'NoService',
      remediationHint: 'Trams run again at 05:10.',
    },
  },
  unknown: {
    isError: true,
    text: '{"error":"There is no stop \\"Zoo\\".","code":"NOT_FOUND","hint":"Use one of: Harbor, Museum."}',
  },
};
