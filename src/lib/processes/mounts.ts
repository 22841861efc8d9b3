type Mount = {
  /** The folder of the file system that is mounted. */
  readonly root: string
  /** Where it is mounted. */
  readonly path: string
  readonly type: string
  /** Options of the file system, such as the controllers of a hierarchy of cgroups. */
  readonly options: readonly string[]
}

/** Reads the text of /proc/self/mountinfo (proc_pid_mountinfo(5)). */
export function readMounts(mountinfo: string): Mount[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [place = '', source = ''] = line.split(' - ')
    const [, , , root, path] = place.split(' ').map(unescaped)
    const [type, , options = ''] = source.split(' ')
    return root === undefined || path === undefined || !type ? [] : [{ root, path, type, options: options.split(',') }]
  })
}

/** Blanks and backslashes are written as octal numbers of bytes. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
}
