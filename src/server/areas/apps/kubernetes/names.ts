export const APP_LABEL = 'svc/app'
export const DEPLOY_LABEL = 'svc/deploy'
export const ORG_LABEL = 'svc/org-id'

/** Returns the name of an object for this id. Ids contain lower-case letters, digits and one underscore. */
export function nameOf(id: string): string {
  return id.replace('_', '-')
}

/** Organizations are named by id: a slug can be changed, and could be that of another namespace of the cluster. */
export function namespaceOf(prefix: string, orgId: string): string {
  return `${prefix}${nameOf(orgId)}`
}

/** Labels by which operators and svc find the objects of an app. */
export function labelsOf(ids: { orgId: string; appId?: string; deployId?: string }): Record<string, string> {
  return {
    'app.kubernetes.io/managed-by': 'svc',
    [ORG_LABEL]: ids.orgId,
    ...(ids.appId !== undefined && { [APP_LABEL]: ids.appId }),
    ...(ids.deployId !== undefined && { [DEPLOY_LABEL]: ids.deployId }),
  }
}
