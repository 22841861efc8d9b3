import { join } from 'node:path'

/**
 * Folder for stripped types and compiled code, as `NODE_COMPILE_CACHE` of the test processes, of their threads and of
 * the servers that they start. Without it each of them strips and compiles the same files again.
 */
export const CODE_CACHE = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'svc-test', 'code')
