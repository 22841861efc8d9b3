import { setFlagsFromString } from 'node:v8'

/**
 * Keeps the memory for young objects as small as it is at the start of a process. V8 lets it grow by 30 MB while code is
 * loaded, and it stays that large. Only for commands that handle large buffers and few objects, because an object is
 * then moved to the old memory sooner.
 */
export function limitYoungMemory(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}
