export { backupFault } from './check.ts'
export { backupLoop } from './loop.ts'
