#include <stdio.h>

int main(void)
{
    puts("regimed " REGIME_VERSION);
    return 0;
}
