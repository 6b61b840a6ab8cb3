// Questions of people, with the fields that answer them, over the description of a production API.

/** A question, and the fields of which an answer must name one. */
export type Question = readonly [question: string, ...fields: string[]];

/** The questions by which the search was made. */
export const QUESTIONS: readonly Question[] = [
  ['list my virtual servers', 'Query.vpses'],
  ['restart a server', 'Mutation.vpsRestart'],
  ['take a backup of a dataset now', 'Mutation.datasetSnapshotCreate'],
  ['which snapshots do I have', 'Dataset.snapshots'],
  ['add an A record to my domain', 'Mutation.dnsRecordCreate'],
  ['change the root password', 'Mutation.vpsPasswd'],
  ['how much disk space is left', 'Dataset.avail', 'Dataset.used', 'Dataset.quota'],
  ['who logged in to my account', 'Query.userSessions'],
  ['out of memory kills', 'Query.oomReports'],
  ['progress of a running operation', 'Query.actionState', 'Subscription.actionProgress'],
  ['add my ssh key', 'Mutation.userPublicKeyCreate'],
  ['known vulnerabilities', 'Query.securityAdvisories', 'Query.vpsSecurityAdvisories'],
];

/** Questions that were written after the search, by which it was not changed. */
export const UNTUNED: readonly Question[] = [
  ['roll a file system back to an earlier snapshot', 'Mutation.datasetSnapshotRollback'],
  ['turn off the machine', 'Mutation.vpsStop'],
  ['power on my VPS', 'Mutation.vpsStart'],
  ['remove a DNS record', 'Mutation.dnsRecordDelete'],
  ['reinstall the operating system', 'Mutation.vpsReinstall'],
  ['which IP addresses belong to me', 'Query.ipAddresses', 'Query.hostIpAddresses'],
  ['how much traffic did I use', 'Query.networkInterfaceAccountings', 'Query.networkInterfaceMonitors'],
  ['available distributions', 'Query.osTemplates', 'Query.osFamilies'],
  ['boot into rescue mode', 'Mutation.vpsBoot'],
  ['end a login of somebody else', 'Mutation.userSessionClose'],
  ['who am I', 'Query.userCurrent', 'Query.session'],
  ['download a backup', 'Mutation.snapshotDownloadCreate', 'Query.snapshotDownloads'],
  ['set up two-factor authentication', 'Mutation.userTotpDeviceCreate', 'Mutation.webauthnRegistrationBegin'],
  ['mount a dataset in a server', 'Mutation.vpsMountCreate'],
  ['clone a virtual machine', 'Mutation.vpsClone'],
];

/** Questions as operators ask them, written before anybody had seen what is found for them. */
export const OPERATORS: readonly Question[] = [
  ['issue an access token for metrics', 'Mutation.metricsAccessTokenCreate'],
  ['which nodes are down or under maintenance', 'Query.nodes', 'Query.nodePublicStatuses'],
  ['change the reverse DNS of an address', 'Mutation.hostIpAddressUpdate'],
  ['share a dataset over NFS', 'Mutation.exportCreate'],
  ['swap two servers', 'Mutation.vpsSwapWith'],
  ['delete an old snapshot', 'Mutation.datasetSnapshotDelete'],
  [
    'give an IP address to a network interface',
    'Mutation.ipAddressAssign',
    'Mutation.ipAddressAssignWithHostAddress',
    'Mutation.hostIpAddressAssign',
  ],
  ['what changed on this object and who did it', 'Query.objectHistories'],
  ['open a console to my server', 'Mutation.vpsConsoleTokenCreate'],
  ['which outages are announced', 'Query.incidentReports'],
  ['create a virtual server', 'Mutation.vpsCreate'],
  ['transfer a zone to a secondary server', 'Mutation.dnsZoneTransferCreate'],
  ['give the server more memory', 'Mutation.vpsUpdate'],
  ['revoke my login token', 'Mutation.tokenRevoke', 'Mutation.userSessionClose'],
  [
    'set the maintenance window of a server',
    'Mutation.vpsMaintenanceWindowUpdate',
    'Mutation.vpsMaintenanceWindowUpdateAll',
  ],
  ['DNSSEC keys of a zone', 'Query.dnssecRecords'],
  ['why is my job stuck', 'Query.transactionChains', 'Query.actionStates', 'Subscription.pendingActions'],
  ['stop a running task', 'Mutation.actionStateCancel'],
  ['install my public key on a server', 'Mutation.vpsDeployPublicKey'],
  ['when did the transfer of a zone fail', 'Query.dnsServerZoneTransferLogs'],
  ['which locations can I choose', 'Query.locations'],
  ['switch on a feature of a server', 'Mutation.vpsFeatureUpdate', 'Mutation.vpsFeatureUpdateAll'],
  [
    'where do notifications by mail go',
    'Mutation.userMailRoleRecipientUpdate',
    'Mutation.userMailTemplateRecipientUpdate',
    'User.mailRoleRecipients',
    'User.mailTemplateRecipients',
  ],
  ['how many servers does the whole cluster have', 'Query.clusterPublicStats', 'Query.cluster'],
];

/** Questions that were written after all of these, to measure what the search does with words that nobody had in mind. */
export const UNSEEN: readonly Question[] = [
  ['renew my access token', 'Mutation.tokenRenew'],
  ['forget a device I logged in from', 'Mutation.userKnownDeviceDelete'],
  ['register a passkey', 'Mutation.webauthnRegistrationBegin'],
  ['who changed a DNS record', 'Query.dnsRecordLogs'],
  ['make a secondary DNS zone', 'Mutation.dnsZoneCreate'],
  ['list free IPv4 addresses', 'Query.ipAddresses', 'Query.hostIpAddresses'],
  ['get my files back from last week', 'Mutation.datasetSnapshotRollback', 'Mutation.snapshotDownloadCreate'],
  ['increase the quota of a dataset', 'Mutation.datasetUpdate'],
  ['shut the server down', 'Mutation.vpsStop'],
  ['which servers are affected by a CVE', 'Query.vpsSecurityAdvisories'],
  ['allow a host to mount an export', 'Mutation.exportHostCreate'],
  ['bandwidth limit of a network interface', 'Mutation.networkInterfaceUpdate', 'Query.networkInterfaces'],
  [
    'run a cloud-init script when the server is created',
    'Mutation.vpsUserDataCreate',
    'Mutation.vpsCreate',
    'Mutation.vpsUserDataDeploy',
  ],
  ['map user ids of a container', 'Mutation.userNamespaceMapCreate', 'Query.userNamespaceMaps'],
  ['change my e-mail address', 'Mutation.userUpdate'],
  [
    'load of the hypervisors',
    'Query.nodes',
    'Query.nodeSystemStates',
    'Query.nodeResources',
    'Query.nodePublicStatuses',
  ],
  ['ignore memory kills of one process', 'Mutation.oomReportRuleCreate'],
  ['key for zone transfers', 'Mutation.dnsTsigKeyCreate', 'Query.dnsTsigKeys'],
];
