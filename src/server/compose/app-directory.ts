import type { AppDirectory } from '#edge/apps.ts'

/** Until apps exist there is none to find. */
export const NO_APPS: AppDirectory = { find: async () => undefined, names: async () => new Map() }
