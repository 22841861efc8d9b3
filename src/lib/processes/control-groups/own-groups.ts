import { join, resolve } from 'node:path'
import { readMounts } from '../mounts.ts'

/** The kernel's names of the resources that it can limit for a group of processes. */
export type Controller = 'memory' | 'pids' | 'cpu'
export const CONTROLLERS: readonly Controller[] = ['memory', 'pids', 'cpu']

/** The group that this process is in, as a folder. Controllers of version 1 can have one each. */
export type OwnGroup = {
  readonly version: 1 | 2
  readonly folder: string
  /** Those of version 2 are not known before the folder is read. */
  readonly controllers: readonly Controller[]
}

/**
 * Returns the groups of this process. `cgroup` and `mountinfo` are the texts of these files of /proc/self. A group that
 * no mounted file system shows, as in some containers, is left out.
 */
export function findOwnGroups(cgroup: string, mountinfo: string): OwnGroup[] {
  const mounts = readMounts(mountinfo)
  return [...cgroup.matchAll(/^\d+:([^:]*):(\/.*)$/gm)].flatMap(([, names = '', path = '']) => {
    const version = names === '' ? 2 : 1
    const controllers = CONTROLLERS.filter((each) => names.split(',').includes(each))
    if (version === 1 && controllers.length === 0) return []
    const folders = mounts
      .filter(({ type, options }) =>
        version === 2 ? type === 'cgroup2' : type === 'cgroup' && controllers.every((each) => options.includes(each)),
      )
      .flatMap(({ root, path: at }) => below(root, at, path) ?? [])
    return folders[0] === undefined ? [] : [{ version, folder: folders[0], controllers }]
  })
}

/** A mount can show a part of a hierarchy only, as in a container. */
function below(root: string, at: string, path: string): string | undefined {
  if (path.split('/').includes('..')) return undefined
  const prefix = root === '/' ? '' : root
  return path === prefix || path.startsWith(`${prefix}/`) ? resolve(join(at, path.slice(prefix.length))) : undefined
}
