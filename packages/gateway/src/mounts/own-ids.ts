/** The ids of Deskside's own servers, in their order. They never change: people and models use names that contain them. */
export const OWN_IDS = ['log', 'manictime', 'popup', 'toast', 'todo'] as const;
export type OwnId = (typeof OWN_IDS)[number];
