import type { BootstrapStep, MachineFile, MachineUnit } from '../machine/machine-configuration.js';
import { script } from '../shell/script.js';
import type { MesosNodeDescription } from './mesos-description.js';

const directory = '/etc/stave/zookeeper';
const dataDirectory = '/var/lib/zookeeper';
const unitName = 'stave-zookeeper.service';

/** Returns the configuration of the server of ZooKeeper on a master. */
export function zookeeperFiles({ cluster, masterId }: MesosNodeDescription): MachineFile[] {
  const servers = cluster.masters.map(({ id, host }) => `server.${id}=${host}:2888:3888`);
  const settings = [
    'tickTime=2000',
    'initLimit=10',
    'syncLimit=5',
    `dataDir=${dataDirectory}`,
    'clientPort=2181',
    'autopurge.snapRetainCount=3',
    'autopurge.purgeInterval=24',
    '4lw.commands.whitelist=ruok,srvr',
    'admin.enableServer=false',
    ...(servers.length > 1 ? servers : []),
  ];
  return [
    { path: `${directory}/zoo.cfg`, content: `${settings.join('\n')}\n`, mode: 0o644 },
    { path: `${directory}/myid`, content: `${masterId ?? 1}\n`, mode: 0o644 },
  ];
}

/** The unit of the server; the package brings none. */
export const zookeeperUnit: MachineUnit = {
  name: unitName,
  enabled: false,
  content: `[Unit]
Description=ZooKeeper
After=network-online.target

[Service]
User=zookeeper
Environment=ZOOCFGDIR=${directory}
ExecStart=/usr/share/zookeeper/bin/zkServer.sh start-foreground
SuccessExitStatus=143
Restart=always
RestartSec=5

[Install]
WantedBy=multi-user.target
`,
};

const body = `
install --directory --owner=zookeeper --group=zookeeper "$data"
for file in configuration.xsl log4j.properties logback.xml environment; do
  [ ! -e "/etc/zookeeper/conf/$file" ] || cp "/etc/zookeeper/conf/$file" "$directory/"
done
chmod 755 /etc/stave "$directory"
replace_file "$data/myid" 644 <"$directory/myid"
restart_if_changed "$unit" "$directory/zoo.cfg" "$directory/myid"
# without a majority a server does not name its mode
has_mode() { ZOOCFGDIR="$directory" /usr/share/zookeeper/bin/zkServer.sh status 2>&1 | grep --quiet '^Mode: '; }
wait_until "$seconds" has_mode
`;

/** Returns the step that starts ZooKeeper and waits until it is part of a majority: the masters are started at the same time. */
export const zookeeperStep = (node: MesosNodeDescription): BootstrapStep => ({
  name: 'zookeeper',
  script: script(body, { data: dataDirectory, directory, unit: unitName, seconds: node.readyTimeoutSeconds ?? 600 }),
});
