import { type AbsentApps, createAbsentApps } from './absent-apps.ts'
import type { ServedInstance } from './served-app.ts'

/** The apps that this process runs, by the first label of their host names. */
export type AppTraffic = {
  /** Returns undefined when no app of that label runs here. */
  readonly find: (label: string) => ServedInstance | undefined
  /** Sends requests of the label to this instance from now on; undefined: to none. */
  readonly route: (label: string, instance: ServedInstance | undefined) => void
  /** The apps that were looked for and do not run. */
  readonly absent: AbsentApps
}

export function createAppTraffic(): AppTraffic {
  const instances = new Map<string, ServedInstance>()
  const absent = createAbsentApps()
  return {
    absent,
    find: (label) => instances.get(label),
    route: (label, instance) => {
      absent.forget()
      instance?.route?.(label)
      if (instance) instances.set(label, instance)
      else instances.delete(label)
    },
  }
}
