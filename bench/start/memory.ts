import { commandOf, ownPssMb, processTree } from '../help/processes.ts'

/** Memory in MB of the processes of an installation. Those of apps are the users' and count apart. */
export type Memory = { own: number; server: number; engines: number; apps: number }

export function memoryOf(server: number): Memory {
  const tree = processTree(server)
  // A sandbox is a parent process whose command line names the worker.
  const withBelow = (worker: string) => new Set(tree.filter((pid) => runs(pid, worker)).flatMap(processTree))
  const [inApps, inEngines] = [withBelow('inside'), withBelow('engine-child')]
  const sum = (pids: Iterable<number>) => [...pids].reduce((total, pid) => total + ownPssMb(pid), 0)
  const own = tree.filter((pid) => !inApps.has(pid))
  return { own: sum(own), server: ownPssMb(server), engines: sum(inEngines), apps: sum(inApps) }
}

/** The processes of the engines that run, each with its sandbox. */
export function enginesOf(server: number): number[] {
  return processTree(server).filter((pid) => runs(pid, 'engine-child'))
}

/** Whether the command line names the source or the built file of this worker. */
function runs(pid: number, worker: string): boolean {
  return commandOf(pid).some((word) => word.endsWith(`/${worker}.ts`) || word.endsWith(`/${worker}.js`))
}

/** Looks at the memory again and again until it is disposed of. A process that lives shorter than a look is not seen. */
export function watchPeak(server: number, everyMs: number): Disposable & { peak(): number } {
  let peak = 0
  const look = () => {
    peak = Math.max(peak, memoryOf(server).own)
  }
  const timer = setInterval(look, everyMs)
  return { peak: () => peak, [Symbol.dispose]: () => clearInterval(timer) }
}
