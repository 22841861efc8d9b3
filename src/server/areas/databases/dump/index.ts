/** The part of this area that backups use, apart from the index of the area, which loads all of it. */
export { createDumper, PLATFORM_DUMP } from './dumper.ts'
export { EMBEDDED_PART } from './parts.ts'
export { settleRestored } from './restore-store.ts'
export { createRestorer } from './restorer.ts'
