import { join } from 'node:path'

const ID = /^[a-z]+_[0-9A-Za-z_-]{1,100}$/

/** Folders of an app below the data folder. Throws for anything but an id, because ids become names of folders. */
export function layoutOf(dataDir: string, appId: string) {
  const folder = join(dataDir, 'apps', checked(appId))
  return {
    folder,
    /** Names the processes that run, so that they are found after a crash of svc. */
    running: join(folder, 'running'),
    /** Settings that instances were started with, a file for each deploy. */
    settings: join(folder, 'settings'),
    setting: (deployId: string) => join(folder, 'settings', checked(deployId)),
    releases: join(folder, 'releases'),
    release: (deployId: string) => join(folder, 'releases', checked(deployId)),
    /** A build in the making: `source` becomes the release, `home` is thrown away. */
    builds: join(folder, 'builds'),
    build: (deployId: string) => join(folder, 'builds', checked(deployId)),
  }
}

function checked(id: string): string {
  if (!ID.test(id)) throw new Error('not an id')
  return id
}
