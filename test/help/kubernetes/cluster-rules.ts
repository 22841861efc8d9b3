/** The rights of the target `kubernetes` in the cluster: the rules of the chart, and all that its tests ask. */
export const CLUSTER_RULES = [
  { apiGroups: [''], resources: ['namespaces'], verbs: ['create', 'get', 'patch'] },
  { apiGroups: [''], resources: ['secrets', 'serviceaccounts', 'services'], verbs: ['create', 'delete', 'patch'] },
  { apiGroups: ['apps'], resources: ['deployments'], verbs: ['create', 'delete', 'get', 'list', 'patch', 'watch'] },
  { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: ['create', 'patch'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
]
