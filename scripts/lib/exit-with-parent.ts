/** Preloaded into a child: when the parent is gone, however it ended, the child ends too, and with it its own children. */
import process from 'node:process';

process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The channel alone must not keep a process alive that has finished its work.
process.channel?.unref();
