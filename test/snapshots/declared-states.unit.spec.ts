import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@stave/testing';

const services = ['cluster-service', 'nodegroup-service', 'container-scheduler'];

/** Returns the source files that subscribe to the feed. */
function listeners(): readonly { readonly name: string; readonly text: string }[] {
  return services.flatMap(service => {
    const directory = join(repositoryRoot(), 'apps', service, 'src');
    const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
    const code = names.filter(name => name.endsWith('.ts') && !/\.(spec|fixture)\.ts$/.test(name));
    return code.map(name => ({ name: `${service}/${name}`, text: readFileSync(join(directory, name), 'utf8') }));
  });
}

it('every subscriber of the event feed declares its states, so that a snapshot contains them', () => {
  const following = listeners().filter(({ text }) => /feed\.on(Every)?\(/.test(text));
  expect(following.length).toBeGreaterThan(5);
  expect(
    following
      .filter(({ text }) => !/get folded\(\)|readonly folded|extends modelsOf\(/.test(text))
      .map(({ name }) => name),
  ).toEqual([]);
});
