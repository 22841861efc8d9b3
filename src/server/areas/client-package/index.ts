import {
  clientPackage,
  clientRelease,
  describeInstance,
  type Instance,
  installCommand,
} from '#contract/client-package.ts'
import { notFound } from '#contract/core/errors.ts'
import { type Route, route } from '#edge/route/route.ts'
import { answer } from './answer.ts'
import { createExecutables, targetOf } from './executables.ts'
import { isServedAt, refuseInsecure } from './insecure.ts'
import { createPackageReader, type ReadPackage } from './package-bytes.ts'

export { packCheckout } from './pack-checkout.ts'

type Deps = {
  /** Reads the finished package of a release, or makes that of a checkout. */
  read: ReadPackage
  /** Whether the bytes of a version can never change, as those of a release. */
  isRelease: boolean
  version: string
  /** Folder that may hold the executables of the client of this version. */
  executables: string
  /** Address that people see, which is known once the server listens. */
  baseUrl: () => string
}

/** Serves the client of this version, and describes it together with the instance. */
export function createClientPackage({ read, isRelease, version, baseUrl, executables: folder }: Deps): {
  readonly routes: readonly Route[]
} {
  const packageOf = createPackageReader(read)
  const executables = createExecutables(folder, version)
  const file = `svc-client-${version}.tgz`
  const serve = async (request: Request, isImmutable: boolean) => {
    refuseInsecure(baseUrl(), request.url)
    return answer(await packageOf(), request.headers.get('if-none-match'), isImmutable)
  }
  const describe = async (request: Request): Promise<Instance> => {
    const base_url = baseUrl()
    if (!isServedAt(base_url, request.url)) return { version, base_url, client: null }
    const { digest, bytes } = await packageOf()
    const client = {
      version,
      url: `${base_url}${clientPackage.path}`,
      versioned_url: `${base_url}/client/${file}`,
      digest: `sha256:${digest}`,
      size_bytes: bytes.byteLength,
      install: installCommand(base_url),
      executables: (await executables.all()).map(({ target, digest: of, bytes: size_bytes }) => ({
        target,
        url: `${base_url}/client/${target}`,
        digest: `sha256:${of}`,
        size_bytes,
      })),
    }
    return { version, base_url, client }
  }
  return {
    routes: [
      route(describeInstance, (_, { request }) => describe(request)),
      route(clientPackage, (_, { request }) => serve(request, false)),
      route(clientRelease, (input, { request }) => {
        const target = targetOf(input.file)
        if (target !== undefined) {
          refuseInsecure(baseUrl(), request.url)
          return executables.serve(target, request.headers.get('if-none-match'))
        }
        if (input.file !== file) throw notFound()
        return serve(request, isRelease)
      }),
    ],
  }
}
