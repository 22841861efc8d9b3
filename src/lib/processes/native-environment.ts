import { isMainThread } from 'node:worker_threads'

/**
 * Sets a variable that a native library reads in this process, whatever value the operator gave it. Only the main thread
 * can: in others `process.env` is a copy.
 */
export function setNativeVariable(name: string, value: string): void {
  if (!isMainThread) throw new Error('only the main thread can change the environment of the process')
  process.env[name] = value
}
