import { type AbsentApps, createAbsentApps } from './absent-apps.ts'
import type { ServedInstance } from './served-app.ts'

/** An app that this process hosts. */
type Hosted = {
  /**
   * When this process began to host an app that was live already, or last lost it for a reason that is not the app's.
   * Undefined for an app that was not live then and was never lost.
   */
  takenOverAt: Date | undefined
  /** Whether an instance has answered well since. */
  isServed: boolean
}

/** The hosting of an app by this process, as its host reports it. */
export type HostRecord = {
  /** Records that an instance answers well. One that ended while it started does not. */
  readonly served: () => void
  /** Records that svc itself lost the instance: a check that gets no answer meanwhile says nothing about the app. */
  readonly lost: (at: Date) => void
  readonly end: () => void
}

/** The apps that this process runs, by the first label of their host names. */
export type AppTraffic = {
  /** Returns undefined when no app of that label runs here. */
  readonly find: (label: string) => ServedInstance | undefined
  /** Sends requests of the label to this instance from now on; undefined: to none. */
  readonly route: (label: string, instance: ServedInstance | undefined) => void
  /** Resolves when requests of the label go where the last `route` says, also those that this process does not see. */
  readonly routed: (label: string) => Promise<void>
  /** Forgets the instance, which goes on to get requests elsewhere. */
  readonly leave: (label: string) => void
  /** Records that this process hosts the app, until that ends. */
  readonly host: (label: string, takenOverAt: Date | undefined) => HostRecord
  /** Returns undefined for an app that this process does not host. */
  readonly hosted: (label: string) => Readonly<Hosted> | undefined
  /** The apps that were looked for and do not run. */
  readonly absent: AbsentApps
}

export function createAppTraffic(): AppTraffic {
  const instances = new Map<string, ServedInstance>()
  const hosts = new Map<string, Hosted>()
  const routes = new Map<string, Promise<void>>()
  const absent = createAbsentApps()
  const leave = (label: string) => {
    const instance = instances.get(label)
    instances.delete(label)
    routes.delete(label)
    return instance
  }
  return {
    absent,
    find: (label) => instances.get(label),
    route: (label, instance) => {
      absent.forget()
      if (instance) instances.set(label, instance)
      else leave(label)?.unroute?.()
      const routing = instance?.route?.(label)
      if (routing) routes.set(label, routing)
    },
    routed: async (label) => routes.get(label),
    leave: (label) => void leave(label),
    host: (label, takenOverAt) => {
      const hosted: Hosted = { takenOverAt, isServed: false }
      hosts.set(label, hosted)
      return {
        served: () => {
          hosted.isServed = true
        },
        lost: (at) => {
          hosted.takenOverAt = at
          hosted.isServed = false
        },
        // A host whose lease was lost can end after the next one has begun.
        end: () => void (hosts.get(label) === hosted && hosts.delete(label)),
      }
    },
    hosted: (label) => hosts.get(label),
  }
}
