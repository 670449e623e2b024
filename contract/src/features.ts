// The chapters of the reference, in the order in which people meet them. They are the tags in OpenAPI.
export const features = {
  Authentication: 'Who is calling, and signing in with a password.',
  Accounts: 'The accounts of an organization: create, change, activate, lock.',
  'API keys': 'Key pairs for programs.',
  Catalogue: 'Applications, templates and functions, shipped ones and those of the organization.',
  Connections: 'Registered applications: an application of the catalogue with the credentials of an account.',
  Proxy: 'Call a registered application through the service.',
  Workflows: 'Create, change and deploy workflows, and go back to earlier revisions.',
  'Template upgrades': 'Upgrade workflows to another version of their template, and roll back.',
  Runs: 'Start, schedule, stop and retry runs, and see what each block did.',
  Webhooks: 'Let other systems start a workflow: settings, queue, history and replay.',
  Monitoring: 'Search, statistics, usage and a live stream of what happens.',
  Alarms: 'Set what you expect of a workflow, and be alerted when it is not met.',
  Notifications: 'Who is notified when something fails, by e-mail or at an address.',
  Vault: 'Encrypted values that scripts read and write.',
  Mail: 'Send e-mails, and check whether they were sent.',
  'Secure shares': 'Encrypted files behind a link.',
  Tags: 'Labels on accounts, workflows and other entities.',
  Audit: 'Who changed what.',
  Introspection: 'Descriptions of the API itself.',
} as const

export type Feature = keyof typeof features
