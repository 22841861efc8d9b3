import { runToEnd } from '../processes/start-process.ts'

/** Bytes that a folder takes on the disk. By a program, because Node needs minutes for as many files as apps have. */
export async function folderBytes(folder: string): Promise<number> {
  const { stdout } = await runToEnd('du', ['-skx', '--', folder], { LC_ALL: 'C' })
  const kilobytes = Number(/^\d+/.exec(stdout)?.[0])
  if (!Number.isFinite(kilobytes)) throw new Error('du printed no number')
  return kilobytes * 1024
}
