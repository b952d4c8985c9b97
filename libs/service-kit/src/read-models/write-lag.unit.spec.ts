import { install, type Clock } from '@sinonjs/fake-timers';
import { staveRegistry } from '@stave/platform';
import { WriteLag } from './write-lag.js';

describe('the lag of read models', () => {
  let clock: Clock;
  beforeEach(() => void (clock = install({ toFake: ['performance'] })));
  afterEach(() => void clock.uninstall());

  const shown = async (): Promise<string> => {
    const text = await staveRegistry.getSingleMetricAsString('stave_read_model_lag_seconds');
    return text.split('\n').find(line => line.startsWith('stave_')) ?? '';
  };

  it('is the time since the first change that is not written, and 0 when all is written', async () => {
    const lag = new WriteLag('some-service');
    expect(await shown()).toMatch(/ 0$/);
    lag.note(true);
    clock.tick(3_000);
    lag.note(true);
    lag.begin();
    clock.tick(1_000);
    expect(await shown()).toBe('stave_read_model_lag_seconds{service="some-service"} 4');
    // more came during the write
    lag.wrote(true);
    expect(await shown()).toMatch(/ 1$/);
    lag.wrote(false);
    expect(await shown()).toMatch(/ 0$/);
  });
});
