import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { mkdirSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import type { MachineEngine } from '@stave/driver-sdk';
import { onSocket, type EngineEndpoint } from '../engine-endpoint.js';
import { unreachable, type MachineSecrets, type SshFiles } from './machine-secrets.js';
import { parseMachineUrl, unsuitable, type MachineUrl } from './machine-url.js';

const connectSeconds = 10;
/** A master of ssh connections ends so long after the last one, also when the conductor was killed. */
const persistSeconds = 60;
/** The path of a unix socket has at most 107 bytes, and ssh makes it with a suffix of 17 first. */
const longestControl = 107 - 17;

/** Knows how the engines of machines are reached. */
export class MachineEndpoints {
  constructor(
    private readonly secrets: MachineSecrets,
    /** The directory of the control sockets of ssh. */
    private readonly runDir: string,
  ) {}

  /** Throws `engine-unsuitable` for a URL that cannot be used. */
  of(engine: MachineEngine): EngineEndpoint {
    const url = parseMachineUrl(engine.url);
    if (url.scheme === 'unix') return onSocket(url.path);
    const { secret } = engine;
    if (secret === undefined) throw unsuitable(`${url.scheme}:// needs engine.secret: ${needed[url.scheme]}`);
    return url.scheme === 'tcp' ? this.overTls(url, secret) : this.overSsh(url, secret);
  }

  /** Returns the address by which the other nodes of a cluster reach the machine. */
  async addressOf(engine: MachineEngine): Promise<string> {
    const { host, advertise } = parseMachineUrl(engine.url);
    const address = advertise ?? (await resolved(host));
    if (/^(127\.|0\.|169\.254\.)/.test(address))
      throw unsuitable(`other machines do not reach ${address}: add ?advertise=<IPv4 address> to the URL`);
    return address;
  }

  private overTls({ host, port }: MachineUrl, secret: string): EngineEndpoint {
    return {
      shown: `tcp://${host}:${port}`,
      dial: async () => {
        const files = await this.secrets.tls(secret);
        const servername = isIPv4(host) || host.includes(':') ? '' : host;
        return { createConnection: () => connect({ host, port, ...files, servername, minVersion: 'TLSv1.2' }) };
      },
    };
  }

  private overSsh(url: MachineUrl, secret: string): EngineEndpoint {
    const { user, host, port } = url;
    return {
      shown: `ssh://${user === '' ? '' : `${user}@`}${host}:${port}`,
      dial: async () => {
        const files = await this.secrets.ssh(secret);
        return { createConnection: () => this.tunnel(url, files) };
      },
    };
  }

  /**
   * Opens a channel to the engine's socket. Connections to one machine share one session, whose start costs most; without it where the path of
   * the directory is too long for sockets.
   */
  private tunnel(url: MachineUrl, files: SshFiles): Duplex {
    const control = createHash('sha256')
      .update(JSON.stringify([url, files]))
      .digest('hex')
      .slice(0, 12);
    const directory = join(this.runDir, 'ssh');
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const child = spawn('ssh', sshArguments(url, files, join(directory, control)), {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    return channelOf(child);
  }
}

const needed = {
  tcp: 'ca.pem, cert.pem and key.pem, because an engine without mutual TLS obeys everybody',
  ssh: 'id and known_hosts',
} as const;

/**
 * Nothing of the user's own configuration counts, nothing is asked, and a host is accepted by the given keys only. `docker system dial-stdio`
 * is how Docker's own client reaches an engine by ssh.
 */
function sshArguments({ user, host, port, path }: MachineUrl, files: SshFiles, control: string): string[] {
  const options = {
    BatchMode: 'yes',
    StrictHostKeyChecking: 'yes',
    UserKnownHostsFile: quoted(files.knownHosts),
    GlobalKnownHostsFile: '/dev/null',
    UpdateHostKeys: 'no',
    IdentityFile: quoted(files.identity),
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    PasswordAuthentication: 'no',
    KbdInteractiveAuthentication: 'no',
    ConnectTimeout: connectSeconds,
    ServerAliveInterval: 5,
    ServerAliveCountMax: 3,
    ...(Buffer.byteLength(control) <= longestControl && {
      ControlMaster: 'auto',
      ControlPath: quoted(control),
      ControlPersist: persistSeconds,
    }),
    LogLevel: 'ERROR',
  };
  const given = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const login = user === '' ? [] : ['-l', user];
  const target = ['-F', 'none', '-T', '-p', String(port), ...login, ...given, '--', host];
  return [...target, 'docker', '--host', `unix://${path}`, 'system', 'dial-stdio'];
}

const quoted = (path: string): string => `"${path.replaceAll('%', '%%')}"`;

/** Returns what ssh reads and writes as one stream. The end of ssh is the end of the stream, with its message where it failed. */
function channelOf(child: ChildProcess): Duplex {
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw unreachable('ssh cannot be started');
  let said = '';
  stderr.on('data', (text: Buffer) => void (said = (said + text.toString('utf8')).slice(-500)));
  const channel = new Duplex({
    read: () => void stdout.resume(),
    write: (chunk: Buffer, _encoding, done) => void stdin.write(chunk, error => done(error)),
    final: done => void stdin.end(done),
    destroy: (error, done) => {
      child.kill();
      done(error);
    },
  });
  stdin.on('error', error => channel.destroy(error));
  stdout.on('data', (chunk: Buffer) => void (channel.push(chunk) || stdout.pause()));
  child.on('error', error => channel.destroy(error));
  // only now it is known whether ssh has failed, and what it said
  child.on('close', code => {
    if (code) channel.destroy(new Error(`ssh: ${said.trim() || `ended with ${code}`}`));
    else channel.push(null);
  });
  return channel;
}

async function resolved(host: string): Promise<string> {
  if (isIPv4(host)) return host;
  try {
    return (await lookup(host, { family: 4 })).address;
  } catch (cause) {
    throw unreachable(`the host ${host} has no IPv4 address`, cause);
  }
}
